// "What would this call get?": asked without anything being written or let through.

import { useId, useState } from "react";
import type { AskError } from "../api.ts";
import { useApp } from "../hooks/app.ts";
import { asAskError } from "../hooks/use-core.ts";
import { paramsFrom } from "../model/explain-params.ts";
import { duration } from "../model/times.ts";
import type { Explained } from "../model/wire.ts";
import { Failure, KeyName, LongText, Text, TierBadge } from "./common.tsx";

/** The form and its answer. */
export function WouldGet() {
  const { api, report } = useApp();
  const [tool, setTool] = useState("exec");
  const [typed, setTyped] = useState("");
  const [session, setSession] = useState("");
  const [cwd, setCwd] = useState("");
  const [problem, setProblem] = useState<string>();
  const [answer, setAnswer] = useState<Explained | AskError>();
  const [busy, setBusy] = useState(false);
  const id = useId();
  /** Another question: what was answered to the one before says nothing of it. */
  const changed = (set: (value: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value);
    setAnswer(undefined);
    setProblem(undefined);
  };
  const ask = async () => {
    const read = paramsFrom(tool.trim(), typed);
    setAnswer(undefined);
    setProblem("problem" in read ? read.problem : undefined);
    if ("problem" in read) return;
    setBusy(true);
    const request: Record<string, unknown> = { tool: tool.trim(), params: read.params };
    if (session.trim() !== "") request.session = session.trim();
    if (cwd.trim() !== "") request.cwd = cwd.trim();
    try {
      setAnswer(await api.ask("explain", request));
    } catch (thrown) {
      const failure = asAskError(thrown);
      report(failure);
      setAnswer(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="would-get" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>What would this call get?</h2>
      <form
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
          // A sandboxed frame submits no forms, and says so in the console.
          event.preventDefault();
          void ask();
        }}
      >
        <div className="field">
          <label htmlFor={`${id}-tool`}>Tool</label>
          <input
            id={`${id}-tool`}
            value={tool}
            required
            maxLength={200}
            spellCheck={false}
            autoCapitalize="none"
            onChange={changed(setTool)}
          />
        </div>
        <div className="field grow">
          <label htmlFor={`${id}-params`}>
            {tool.trim() === "exec" ? "Command line, or parameters as JSON" : "Parameters as JSON"}
          </label>
          <textarea
            id={`${id}-params`}
            value={typed}
            rows={2}
            spellCheck={false}
            autoCapitalize="none"
            placeholder={tool.trim() === "exec" ? "git push --force origin main" : '{"action": "send", "to": "alice"}'}
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? undefined : `${id}-problem`}
            onChange={changed(setTyped)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void ask();
            }}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-session`}>Session (optional)</label>
          <input
            id={`${id}-session`}
            value={session}
            spellCheck={false}
            autoCapitalize="none"
            placeholder="a new one"
            onChange={changed(setSession)}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-cwd`}>Folder (optional)</label>
          <input
            id={`${id}-cwd`}
            value={cwd}
            spellCheck={false}
            autoCapitalize="none"
            placeholder="/home/ann/site"
            onChange={changed(setCwd)}
          />
        </div>
        <button type="button" className="button filled" disabled={busy} onClick={() => void ask()}>
          {busy ? "Asking …" : "Ask"}
        </button>
      </form>
      {problem !== undefined && (
        <p className="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      <div aria-live="polite">
        {answer !== undefined &&
          (answer instanceof Error ? (
            <Failure what="The question could not be answered" error={answer} />
          ) : (
            <Answer answer={answer} />
          ))}
      </div>
    </section>
  );
}

const VERDICTS: Record<Explained["verdict"], string> = {
  allow: "It would run",
  note: "It would run, and the journal would record what speaks against it",
  ask: "A person would be asked; where the host has no dialog for that, it would be paused",
  pause: "It would be paused",
  block: "It would be blocked",
  observe: "It would run, and the journal would record that it should have been stopped",
};

/** What is told to a person and not to the model. */
const FOR_PEOPLE: ReadonlySet<Explained["verdict"]> = new Set(["ask", "note"]);

function Answer({ answer }: { answer: Explained }) {
  return (
    <div className="answer" data-verdict={answer.verdict}>
      <p className="verdict">
        <strong>{VERDICTS[answer.verdict]}.</strong> <TierBadge tier={answer.tier} />{" "}
        {answer.ruleName === null ? (
          "No rule matches it."
        ) : (
          <>
            by rule <Text text={answer.ruleName} max={80} />
            {answer.tier >= 3 && `, looking back ${duration(answer.recentWindowMs)}`}
            {answer.scope === "otherSessions" && ", at other sessions only"}
          </>
        )}
      </p>
      {answer.contextKeys.length > 0 && (
        <p>
          Resources:{" "}
          {answer.contextKeys.slice(0, 20).map((key) => (
            <KeyName name={key} max={160} key={key} />
          ))}
          {answer.contextKeys.length > 20 && ` and ${answer.contextKeys.length - 20} more`}
        </p>
      )}
      {answer.limits.map((limit) => (
        <p key={limit.ruleName}>
          Limit of <Text text={limit.ruleName} max={80} />: {limit.used} of {limit.count} calls in {duration(limit.windowMs)} per{" "}
          {limit.per} used
          {limit.key !== undefined && (
            <>
              {" "}
              on <KeyName name={limit.key} max={160} />
            </>
          )}
          .
        </p>
      ))}
      {answer.rough && <p>The shell line could not be parsed, so it was cut at whatever looks like the end of a command.</p>}
      {answer.unread.map((unread) => (
        <p key={unread.because}>
          Not read: {unread.bytes} bytes from <code>{unread.begins}</code> on, because {unread.because}. Only looked through for
          the words of rules.
        </p>
      ))}
      {answer.matched.length > 0 && (
        <ul className="matched">
          {answer.matched.slice(0, 20).map((part, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer's parts never move
            <li key={place}>
              {part.command !== null && (
                <code>
                  <Text text={part.command} max={200} />
                </code>
              )}{" "}
              <TierBadge tier={part.tier} /> <Text text={part.ruleName} max={80} />: <Text text={part.because} max={200} />
            </li>
          ))}
        </ul>
      )}
      {answer.text !== null && (
        <>
          <p className="muted">{FOR_PEOPLE.has(answer.verdict) ? "A person would read:" : "The model would read:"}</p>
          <div className="model-text">
            {answer.text.split("\n").map((line, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a text's lines never move
              <div key={place}>{line === "" ? " " : <LongText text={line} max={600} />}</div>
            ))}
          </div>
        </>
      )}
    </div>
  );
}
