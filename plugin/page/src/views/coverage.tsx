// Whether the gate sees the calls of each runtime.

import { useMemo } from "react";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { coverageOf, isLacking, type RuntimeCoverage } from "../model/coverage.ts";
import { DAY } from "../model/times.ts";
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
      <div className="runtimes">
        {runtimes.map((runtime) => (
          <Runtime key={runtime.id} runtime={runtime} now={now} />
        ))}
      </div>
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
    <section className="runtime-card" data-state={state} aria-labelledby={`runtime-${runtime.id}`}>
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
          {runtime.id === "codex" && (
            <p className="muted">
              Then start <code>codex</code>, enter <code>/hooks</code> and trust Callosum's: Codex ignores hooks that nobody has
              trusted.
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
