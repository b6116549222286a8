// Whether the gate sees the calls of each runtime.

import { useMemo } from "react";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { coverageOf, isLacking, type RuntimeCoverage, uncoveredOf } from "../model/coverage.ts";
import { DAY } from "../model/times.ts";
import type { Uncovered } from "../model/wire.ts";
import { Notice, Skeleton, Text, When } from "./common.tsx";

/** The tab "Coverage". */
export function Coverage() {
  const { status, statusError } = useApp();
  const now = useNow(10_000);
  const runtimes = useMemo(() => coverageOf(status?.coverage ?? {}), [status?.coverage]);
  if (status === undefined) return statusError === undefined ? <Skeleton rows={6} label="The coverage is loading" /> : null;
  return (
    <section aria-label="Coverage" className="coverage">
      <p className="muted lead">
        A call passes the gate when the runtime's before-hook runs, and its outcome is known when the after-hook does; one that
        was paused has none in most runtimes. The counts are kept over the whole journal. <code>callosum doctor</code> looks
        closer.
      </p>
      <WithoutRule given={status.uncovered ?? []} now={now} />
      <div className="runtimes">
        {runtimes.map((runtime) => (
          <Runtime key={runtime.id} runtime={runtime} now={now} />
        ))}
      </div>
    </section>
  );
}

/** What was seen and no rule names: its calls are logged, and never checked. */
function WithoutRule({ given, now }: { given: Uncovered[]; now: number }) {
  const { effects, others, more } = useMemo(() => uncoveredOf(given), [given]);
  if (given.length === 0) return null;
  return (
    <section
      className="runtime-card"
      data-state={effects.length > 0 ? "lacking" : "seen"}
      aria-labelledby="without-rule"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
    >
      <header>
        <h2 id="without-rule">Seen without a rule</h2>
        {effects.length > 0 && <span className="state">{effects.length} sound like an effect</span>}
      </header>
      <p className="muted">
        No rule names these tools and programs: their calls are logged, and never checked.{" "}
        {effects.length > 0 && (
          <>
            <code>callosum rules suggest</code> drafts rules for those that sound like an effect.
          </>
        )}
      </p>
      <table className="table">
        <caption className="sr-only">Tools and programs that no rule names</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">What</th>
            <th scope="col">Runtime</th>
            <th scope="col" className="number">
              Calls
            </th>
            <th scope="col">Sounds like</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {[...effects, ...others].map((entry) => (
            <tr key={`${entry.kind} ${entry.runtime} ${entry.name}`}>
              <td data-label="Name">
                <Text text={entry.name} max={64} />
              </td>
              <td data-label="What">{entry.kind}</td>
              <td data-label="Runtime">
                <Text text={entry.runtime} max={60} />
              </td>
              <td data-label="Calls" className="number">
                {entry.calls.toLocaleString()}
              </td>
              <td data-label="Sounds like" data-stands={entry.verb === undefined ? undefined : "warn"}>
                {entry.verb === undefined ? <span className="muted">–</span> : `an effect: ${entry.verb}`}
              </td>
              <td data-label="Last seen">
                <When at={entry.last} now={now} style="ago" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="muted foot">And {more.toLocaleString()} more.</p>}
    </section>
  );
}

function Runtime({ runtime, now }: { runtime: RuntimeCoverage; now: number }) {
  const seen = runtime.tools.length > 0;
  const quiet = seen && now - runtime.last > DAY;
  const state = !seen
    ? "never"
    : isLacking(runtime) || runtime.tools.some((tool) => tool.lacking)
      ? "lacking"
      : quiet
        ? "quiet"
        : "seen";
  return (
    <section
      className="runtime-card"
      data-state={state}
      aria-labelledby={`runtime-${runtime.id}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
    >
      <header>
        <h2 id={`runtime-${runtime.id}`}>
          <Text text={runtime.name} max={60} />
        </h2>
        <span className="state">
          {state === "never" && "Never seen"}
          {state === "lacking" && "After-hooks missing"}
          {state === "quiet" && "Quiet"}
          {state === "seen" && "Passing the gate"}
        </span>
        {seen && (
          <span className="muted">
            last <When at={runtime.last} now={now} style="ago" />
          </span>
        )}
      </header>
      {!seen && runtime.join !== undefined && (
        <>
          <p className="muted">None of its calls has passed the gate. If it runs on this machine, it joins with:</p>
          <pre className="command">{runtime.join}</pre>
          {runtime.needsTrust && (
            <p className="muted">
              Then start <code>{runtime.id}</code>, enter <code>/hooks</code> and trust Callosum's: {runtime.name} ignores hooks
              that nobody has trusted.
            </p>
          )}
        </>
      )}
      {state === "lacking" && (
        <Notice kind="warn" title="Far fewer calls ended than started">
          The outcomes of the others stay unknown, and that is what other sessions are shown. Check the hooks:{" "}
          <code>callosum doctor</code>.
        </Notice>
      )}
      {quiet && state === "quiet" && (
        <p className="muted">
          No call for more than a day. If it was used since, its hooks no longer run:{" "}
          {runtime.join && <code>{runtime.join}</code>}
        </p>
      )}
      {seen && (
        <table className="table">
          <caption className="sr-only">Hooks of {runtime.name} by tool</caption>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col" className="number">
                Before
              </th>
              <th scope="col" className="number">
                After
              </th>
              <th scope="col" className="number">
                Paused
              </th>
              <th scope="col">Rule</th>
              <th scope="col">First seen</th>
              <th scope="col">Last seen</th>
            </tr>
          </thead>
          <tbody>
            {runtime.tools.map((tool) => (
              <tr key={tool.tool}>
                <td data-label="Tool">
                  <Text text={tool.tool} max={64} />
                </td>
                <td data-label="Before" className="number">
                  {tool.before.toLocaleString()}
                </td>
                <td data-label="After" className="number" data-stands={tool.lacking ? "warn" : undefined}>
                  {tool.after.toLocaleString()}
                  {tool.lacking && <span className="lacking"> few</span>}
                </td>
                <td data-label="Paused" className="number">
                  {tool.paused.toLocaleString()}
                </td>
                <td data-label="Rule">{tool.covered ? "yes" : <span className="muted">none</span>}</td>
                <td data-label="First seen">
                  <When at={tool.first} now={now} style="ago" />
                </td>
                <td data-label="Last seen">
                  <When at={tool.last} now={now} style="ago" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
