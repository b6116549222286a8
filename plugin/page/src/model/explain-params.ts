// A call that somebody asks about, from what was typed.

/** The parameters of a call of `tool`: JSON, or for `exec` a plain command line. Wrong input gives a sentence. */
export function paramsFrom(tool: string, typed: string): { params: Record<string, unknown> } | { problem: string } {
  const text = typed.trim();
  if (text === "") return { params: {} };
  const looksLikeJson = /^[[{"]/.test(text);
  if (tool === "exec" && !looksLikeJson) return { params: { command: text } };
  try {
    const params: unknown = JSON.parse(text);
    if (typeof params === "object" && params !== null && !Array.isArray(params))
      return { params: params as Record<string, unknown> };
    return { problem: 'Parameters are a JSON object, such as {"path": "notes.txt"}.' };
  } catch (error) {
    // A command line may begin with a brace too.
    if (tool === "exec" && !text.startsWith('{"')) return { params: { command: text } };
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
