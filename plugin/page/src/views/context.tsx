// The shared context: what holds, what is proposed, the newest roundtable and signals, and what was tampered with.

import { useMemo } from "react";
import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { report } from "../model/report.ts";
import { cut, visible } from "../model/text.ts";
import type { Altered, Evidence, Priority, SharedContext, Signal, Tampered } from "../model/together.ts";
import { Empty, Failure, KeyName, LongText, Notice, Skeleton, Text, When } from "./common.tsx";
import { DecideButtons, ToldDecision, useDecide, WhereDecided, type Words } from "./decide.tsx";
import { Export } from "./export.tsx";

/** The tab "Context". */
export function Context() {
  const { together } = useApp();
  const { context, contextError, refresh } = together;
  const now = useNow(10_000);
  if (contextError !== undefined)
    return <Failure what="The shared context can't be shown" error={contextError} retry={refresh} />;
  if (context === undefined) return <Skeleton rows={6} label="The shared context is loading" />;
  if (!context.on)
    return (
      <Empty title="There is no shared context">
        <p>A folder of priorities, outputs and feedback that all agents read and write under rules. To make it, run:</p>
        <pre className="command">callosum context init</pre>
      </Empty>
    );
  return (
    <section aria-label="Shared context" className="context">
      <p className="muted lead">
        In <Text text={context.dir ?? ""} max={120} />, policy <strong>{context.mode}</strong>. Sessions are told what a person
        wrote or accepted; all else is data to them.
      </p>
      <Changed context={context} />
      <Proposals context={context} now={now} />
      <div className="columns">
        <Priorities priorities={context.priorities} />
        <Roundtable roundtable={context.roundtable} />
      </div>
      <Signals signals={context.signals} now={now} />
      {context.tampered.length > 0 && <TamperedList tampered={context.tampered} now={now} />}
    </section>
  );
}

/** Files that are not as their writer left them, with what to do. */
function Changed({ context }: { context: SharedContext }) {
  const { may, busy, told, decide } = useDecide("file");
  return (
    <>
      <ToldDecision told={told} words={FILE} />
      {context.pending.map((file) => {
        const { path, isInbox, version } = file;
        const word = (accept: boolean) => void decide(path, path, accept, version);
        return (
          <Notice key={path} kind="error" title={isInbox ? `${path} lost entries` : `${path} was changed by something else`}>
            <ChangedLines file={file} />
            {isInbox ? (
              <p>
                The damaged copy is kept.{" "}
                {!may && (
                  <>
                    <strong>To put the entries back:</strong> <code>callosum context restore {path}</code>
                  </>
                )}
              </p>
            ) : (
              <p>
                Sessions are told the version before it.{" "}
                {!may && (
                  <>
                    <strong>To fix it:</strong> look at the file, then <code>callosum context accept {path}</code> keeps it, and{" "}
                    <code>callosum context restore {path}</code> puts the version before it back.
                  </>
                )}
              </p>
            )}
            {may && <DecideButtons what={path} isBusy={busy === path} decide={word} words={isInbox ? INBOX : FILE} />}
          </Notice>
        );
      })}
    </>
  );
}

const FILE: Words = { accept: "Keep it", accepted: "It is kept as it stands", reject: "Put back", rejected: "It is put back" };
/** What an inbox lost is put back; there is nothing to keep. */
const INBOX: Words = { reject: "Put back" };

/** What is new in a file, and what is gone. */
function ChangedLines({ file: { added, gone, more } }: { file: Altered }) {
  const lines = [...gone.map((text) => ["gone", text] as const), ...added.map((text) => ["new", text] as const)];
  if (lines.length === 0) return null;
  return (
    <>
      <ul className="changed-lines">
        {lines.map(([kind, text], place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal lines may stand there twice
          <li key={place} data-kind={kind}>
            <span className="changed-kind">{kind}</span> <LongText text={text} max={200} />
          </li>
        ))}
      </ul>
      {more > 0 && <p>And {more.toLocaleString()} more lines.</p>}
    </>
  );
}

function Proposals({ context, now }: { context: SharedContext; now: number }) {
  const { may, busy, told, decide } = useDecide("proposal");
  const { proposals, moreProposals } = context;
  return (
    <section aria-labelledby="proposals">
      <ToldDecision told={told} />
      <div className="list-head">
        <h2 id="proposals">
          Proposed and staged {proposals.length > 0 && <span className="count">{proposals.length + moreProposals}</span>}
        </h2>
        {proposals.length > 0 && <Export name="proposals" rows={() => proposals.map((proposal) => ({ ...proposal }))} />}
      </div>
      {proposals.length === 0 ? (
        <p className="muted">No proposal waits for you.</p>
      ) : (
        <ul className="cards">
          {proposals.map((proposal) => (
            <li className="card" data-stands="accent" key={proposal.id}>
              <p className="card-text">
                <LongText text={withoutName(proposal.text, proposal.agent)} max={360} />
              </p>
              <div className="card-foot">
                <dl className="card-facts">
                  <div>
                    <dt>by</dt>
                    <dd>
                      <Text text={proposal.agent} max={60} />
                      {proposal.askedBy !== undefined && ", as its owner asked"}
                      {proposal.at !== "" && (
                        <>
                          , <When at={proposal.at} now={now} style="ago" />
                        </>
                      )}
                    </dd>
                  </div>
                  <div>
                    <dt>in</dt>
                    <dd>
                      <Text text={proposal.path} max={90} />
                    </dd>
                  </div>
                </dl>
                {may && (
                  <DecideButtons
                    what={visible(cut(proposal.text, 80))}
                    isBusy={busy === proposal.id}
                    decide={(accept) => void decide(proposal.id, proposal.text, accept)}
                  />
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {!may && proposals.length > 0 && <WhereDecided command={`callosum context accept ${proposals[0]?.id}`} />}
    </section>
  );
}

const SECTIONS = { current: "Current", inputs: "Inputs of agents", notes: "Notes" } as const;

/** The curator writes whose a line is before it; here that stands after it. */
function withoutName(text: string, agent: string | null): string {
  const prefix = `(from ${agent}) `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function Priorities({ priorities }: { priorities: Priority[] }) {
  return (
    <section className="box" aria-labelledby="priorities">
      <h2 id="priorities">Priorities</h2>
      {priorities.length === 0 && (
        <p className="muted">
          Nothing stands in priorities.md. <code>callosum context edit</code> opens it.
        </p>
      )}
      {(["current", "inputs", "notes"] as const).map((section) => {
        const lines = priorities.filter((line) => line.section === section);
        return lines.length === 0 ? null : (
          <div key={section}>
            <h3>{SECTIONS[section]}</h3>
            <ul className="lines">
              {lines.map((line, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: equal lines may stand there twice
                <li key={place}>
                  <LongText text={withoutName(line.text, line.agent)} max={300} />
                  {line.agent !== null && (
                    <span className="muted small-text">
                      {" "}
                      from <Text text={line.agent} max={40} />
                      {!line.isPersons && ", not accepted"}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

function Roundtable({ roundtable }: { roundtable: SharedContext["roundtable"] }) {
  const parts = useMemo(() => (roundtable === null ? [] : report(roundtable.text)), [roundtable]);
  return (
    <section className="box" aria-labelledby="roundtable">
      <h2 id="roundtable">Roundtable {roundtable !== null && <span className="muted">of {roundtable.date}</span>}</h2>
      {roundtable === null ? (
        <p className="muted">
          None was made yet: <code>callosum context curate</code> makes one, and <code>callosum context cron</code> says how to
          have it made daily.
        </p>
      ) : (
        <>
          {parts.map((part) =>
            part.lines.length === 0 ? null : (
              <div key={part.title}>
                <h3>
                  <Text text={part.title} max={80} />
                </h3>
                <ul className="lines">
                  {part.lines.map(({ text, proof }, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a report's lines never move
                    <li key={place}>
                      <LongText text={text} max={300} />{" "}
                      {proof !== "" && (
                        <span className="proof">
                          <Text text={proof} max={80} />
                        </span>
                      )}
                    </li>
                  ))}
                </ul>
              </div>
            ),
          )}
          {parts.every((part) => part.lines.length === 0) && <p className="muted">Nothing happened that day.</p>}
          <p className="muted foot">
            Nothing under:{" "}
            {parts
              .filter((part) => part.lines.length === 0 && part.title !== "")
              .map((part) => part.title)
              .join(", ") || "none"}
          </p>
        </>
      )}
    </section>
  );
}

function Signals({ signals, now }: { signals: SharedContext["signals"]; now: number }) {
  return (
    <section aria-labelledby="signals">
      <div className="list-head">
        <h2 id="signals">
          Cross signals{" "}
          {signals !== null && <span className="muted">of {signals.date}: what several agents came upon, with the evidence</span>}
        </h2>
        {signals !== null && signals.signals.length > 0 && <Export name="signals" rows={() => signals.signals.map(rowOf)} />}
      </div>
      {signals === null || signals.signals.length === 0 ? (
        <p className="muted">{signals === null ? "None were looked for yet." : "No two agents worked on the same thing."}</p>
      ) : (
        <ul className="cards">
          {signals.signals.map((signal) => (
            <SignalCard key={signal.id} signal={signal} now={now} />
          ))}
        </ul>
      )}
      {signals !== null && signals.more > 0 && <p className="muted foot">And {signals.more.toLocaleString()} more.</p>}
    </section>
  );
}

function rowOf({ entity, kind, agents, outcomes, echo, evidence }: Signal) {
  return {
    ...{ entity, kind, agents, echo, outcomes: Object.entries(outcomes).map(([name, count]) => `${count} ${name}`) },
    evidence: evidence.map(placeOf),
  };
}

function placeOf({ seq, path, line }: Evidence): string {
  if (seq !== undefined) return `seq ${seq}`;
  return line === undefined ? (path ?? "") : `${path}:${line}`;
}

function SignalCard({ signal, now }: { signal: Signal; now: number }) {
  const { openStory } = useApp();
  const outcomes = Object.entries(signal.outcomes ?? {});
  return (
    <li className="card">
      <div className="card-head">
        <h3>
          {signal.kind === "key" ? (
            <Button className="plain" onPress={() => openStory({ keys: [signal.entity] })}>
              <KeyName name={signal.entity} max={100} />
            </Button>
          ) : (
            <KeyName name={signal.entity} max={100} />
          )}
        </h3>
        <span className="badge">{signal.kind}</span>
        {signal.echo && (
          <span className="badge" title="Sessions were told of it that day, and none acted on it">
            echo
          </span>
        )}
        <span className="muted card-id">
          <Text text={signal.agents.join(", ")} max={90} />
        </span>
      </div>
      {outcomes.length > 0 && (
        <p className="muted">
          <Text text={outcomes.map(([name, count]) => `${count} ${name}`).join(", ")} max={160} />
        </p>
      )}
      <ul className="evidence">
        {signal.evidence.map((evidence, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a signal's evidence never moves
          <li key={place}>
            <span className="proof">
              <Text text={placeOf(evidence)} max={90} />
            </span>{" "}
            <Text text={evidence.agent} max={50} /> <span className="muted">{evidence.type},</span>{" "}
            <When at={evidence.at} now={now} style="moment" />
          </li>
        ))}
      </ul>
    </li>
  );
}

function capitalized(clause: string): string {
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}

function TamperedList({ tampered, now }: { tampered: Tampered[]; now: number }) {
  return (
    <section aria-labelledby="tampered">
      <div className="list-head">
        <h2 id="tampered">
          Changed by something other than its writer <span className="muted">within 30 days</span>
        </h2>
      </div>
      <ul className="cards">
        {tampered.map((change) => (
          <li className="card" key={change.seq}>
            <div className="card-head">
              <h3>
                <Text text={change.path} max={120} />
              </h3>
              <span className="muted card-id">
                <When at={change.at} now={now} style="moment" />
              </span>
            </div>
            <p className="card-text">
              <Text text={capitalized(change.why)} max={200} />.{" "}
              {change.suspects.length === 0 ? "No call is known that ran meanwhile." : "Calls that ran meanwhile:"}
            </p>
            <ul className="evidence">
              {change.suspects.map((suspect) => (
                <li key={suspect.seq}>
                  <span className="proof">seq {suspect.seq}</span> <Text text={suspect.session || suspect.instance} max={60} />{" "}
                  <span className="muted">with</span> <Text text={suspect.tool} max={40} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
