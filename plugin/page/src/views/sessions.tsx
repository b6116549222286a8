// The sessions of the last day: how each is, what it did last, and what it holds.

import { useMemo, useState } from "react";
import { useApp } from "../hooks/app.ts";
import { useNow } from "../hooks/shared.ts";
import { useTeamPart } from "../hooks/use-together.ts";
import { activityOf, type Group, grouped, groupOf, type Session } from "../model/together.ts";
import { NO_FILTERS } from "../model/url-state.ts";
import { Empty, Failure, Keys, Skeleton, Text, When } from "./common.tsx";
import { Export } from "./export.tsx";
import { GroupChoice } from "./group.tsx";

/** The tab "Sessions". */
export function Sessions() {
  const { place } = useApp();
  const { answer, error, load } = useTeamPart("sessions");
  const now = useNow(10_000);
  const [isAll, setAll] = useState(false);
  const all = answer?.sessions ?? undefined;
  const shown = useMemo(() => (all ?? []).filter((session) => isAll || session.over === undefined), [all, isAll]);
  const groups = useMemo(() => grouped(shown, (session) => groupOf(session, place.group)), [shown, place.group]);
  if (all === undefined)
    return error === undefined ? (
      <Skeleton rows={6} label="The sessions are loading" />
    ) : (
      <Failure what="The sessions can't be loaded" error={error} retry={load} />
    );
  const over = all.filter((session) => session.over !== undefined).length;
  return (
    <section aria-label="Sessions">
      <div className="list-head">
        <h2>
          Sessions <span className="muted">of the last 24 hours</span>
        </h2>
        <span className="list-tools">
          <GroupChoice />
          {over > 0 && (
            <label className="check">
              <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} /> those that are over (
              {over})
            </label>
          )}
          <Export name="sessions" rows={() => shown.map((session) => ({ ...session, activity: activityOf(session) }))} />
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title={all.length === 0 ? "No session showed a sign of life" : "All of them are over"}>
          <p>A session appears here with its first call, or when its runtime tells that it began.</p>
        </Empty>
      ) : (
        groups.map(([name, sessions]) => (
          <SessionTable key={name} name={name} group={place.group} sessions={sessions} now={now} />
        ))
      )}
    </section>
  );
}

function SessionTable({ name, group, sessions, now }: { name: string; group: Group; sessions: Session[]; now: number }) {
  return (
    <>
      {name !== "" && (
        <h3 className="group-name">
          <Text text={name} max={120} /> <span className="muted">{sessions.length}</span>
        </h3>
      )}
      <table className="table rules-table sessions-table">
        <caption className="sr-only">Sessions{name === "" ? "" : ` of ${name}`}</caption>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Activity</th>
            <th scope="col">{group === "runtime" ? "Where" : "Runtime"}</th>
            <th scope="col">Last heard of</th>
            <th scope="col">Last tool</th>
            <th scope="col" className="number">
              Calls
            </th>
            <th scope="col" className="number">
              Paused
            </th>
            <th scope="col">Holds</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <SessionRow
              key={`${session.machine} ${session.instance} ${session.session}`}
              session={session}
              group={group}
              now={now}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

function SessionRow({ session, group, now }: { session: Session; group: Group; now: number }) {
  const { go } = useApp();
  const where = session.project ?? session.cwd ?? undefined;
  return (
    <tr>
      <td data-label="Session">
        <button
          type="button"
          className="plain"
          title="Its calls in the journal"
          onClick={() => go({ tab: "journal", filters: { ...NO_FILTERS, session: session.session } })}
        >
          <Text text={session.session} max={70} />
        </button>
        <div className="muted small-text">
          <Text text={[session.instance, session.machine && `on ${session.machine}`].filter(Boolean).join(" ")} max={70} />
        </div>
      </td>
      <td data-label="Activity">
        <span className="badge" data-state={activityOf(session)}>
          {activityOf(session)}
        </span>
        {session.activitySince !== undefined && session.over === undefined && (
          <span className="muted small-text">
            {" "}
            <When at={session.activitySince} now={now} style="ago" />
          </span>
        )}
      </td>
      <td data-label={group === "runtime" ? "Where" : "Runtime"}>
        {group !== "runtime" && <Text text={session.runtime ?? "unknown"} max={40} />}
        {where !== undefined && (
          <div className="muted small-text">
            <Text text={where} max={60} />
          </div>
        )}
      </td>
      <td data-label="Last heard of" className="nowrap">
        <When at={session.lastAt} now={now} style="ago" />
      </td>
      <td data-label="Last tool">
        {session.lastTool === undefined ? <span className="muted">–</span> : <Text text={session.lastTool} max={40} />}
      </td>
      <td data-label="Calls" className="number">
        {session.calls.toLocaleString()}
      </td>
      <td data-label="Paused" className="number" data-stands={session.paused > 0 ? "warn" : undefined}>
        {session.paused.toLocaleString()}
      </td>
      <td data-label="Holds">
        <Keys keys={session.holds} max={40} />
      </td>
    </tr>
  );
}
