// Asks a model what the core wants to know: the host's own, or one behind an OpenAI-compatible interface that the settings name. It is done
// here because only the host knows its model; and so neither the core nor the native command links anything of HTTP. What a model says is only
// handed to the core, which takes names out of it that it knows.

import { isRecord } from "../host.ts";

/** Asks a model, until the signal says that it is too late. */
export type AskModel = (prompt: string, signal: AbortSignal) => Promise<string>;

/** What came of it. */
export interface Said {
  answer: string | null;
  timedOut: boolean;
}

/** An answer is never longer. */
const MOST_BYTES = 1 << 20;

/** Asks the model that `endpoint` names, else the host's. Never rejects. */
export async function askModel(host: AskModel, endpoint: unknown, prompt: string, timeoutMs: number): Promise<Said> {
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  const asked = isRecord(endpoint) ? askEndpoint(endpoint, prompt, signal) : host(prompt, signal);
  try {
    // A host need not look at the signal.
    const answer = await Promise.race([asked, late]);
    return answer === undefined ? { answer: null, timedOut: true } : { answer, timedOut: false };
  } catch {
    return { answer: null, timedOut: signal.aborted };
  } finally {
    asked.catch(() => {});
  }
}

async function askEndpoint(endpoint: Record<string, unknown>, prompt: string, signal: AbortSignal): Promise<string> {
  const { url, model, apiKeyEnv } = endpoint;
  const key = typeof apiKeyEnv === "string" ? process.env[apiKeyEnv] : undefined;
  const response = await fetch(`${String(url).replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }], temperature: 0, stream: false }),
    // Nobody else is told what was meant for this one.
    redirect: "error",
    signal,
  });
  if (!response.ok || response.body === null) throw new Error(`the model answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("the model's answer is too long");
    chunks.push(chunk);
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const [choice] = isRecord(body) && Array.isArray(body.choices) ? body.choices : [];
  const content = isRecord(choice) && isRecord(choice.message) ? choice.message.content : undefined;
  if (typeof content !== "string") throw new Error("the model's answer has no text");
  return content;
}
