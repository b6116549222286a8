// The first answers: what is wrong, what is held, what was stopped, what waits for the reader.

import { type ReactNode, useMemo } from "react";
import { useApp } from "../hooks/app.ts";
import { OUTCOME_NAMES, type Stop } from "../model/actions.ts";
import { wrongOf } from "../model/problems.ts";
import { waitingOf } from "../model/together.ts";
import { KeyName, Text } from "./common.tsx";

const NUMBER = new Intl.NumberFormat();

interface Props {
  /** How many calls were stopped in the view; undefined while nobody knows. */
  stopped: number | undefined;
  /** False: more may be counted. */
  complete: boolean;
  /** The newest of them that is known singly. */
  newest: Stop | undefined;
}

/** The four cards above the timeline. */
export function Glance({ stopped, complete, newest }: Props) {
  const { status, go, together } = useApp();
  const { team, context } = together;
  const wrong = useMemo(() => (status === undefined ? [] : wrongOf(status, context)), [status, context]);
  const waiting = useMemo(() => waitingOf(team, context), [team, context]);
  const held = status?.locks ?? [];
  const [firstWrong] = wrong;
  const [firstHeld] = held;
  const [firstWaiting] = waiting;
  return (
    <ul className="glance" aria-label="At a glance">
      <Card
        name="What is wrong"
        count={status === undefined ? undefined : wrong.length}
        zero="Nothing"
        stands="danger"
        open={firstWrong?.tab === undefined ? undefined : () => go({ tab: firstWrong.tab ?? "timeline" })}
      >
        {firstWrong === undefined ? "All checks passed" : <Text text={firstWrong.text} max={110} />}
      </Card>
      <Card
        name="What is held"
        count={status === undefined ? undefined : held.length}
        zero="Nothing"
        stands="info"
        open={() => go({ tab: "leases" })}
        title="Show the leases"
      >
        {firstHeld === undefined ? (
          "Nobody holds a resource now"
        ) : (
          <>
            <KeyName name={firstHeld.contextKey} max={44} /> by <Text text={firstHeld.session || firstHeld.instance} max={36} />
          </>
        )}
      </Card>
      <Card name="What was stopped" count={stopped} zero="Nothing" stands="warn" more={!complete}>
        {newest === undefined ? (
          (stopped ?? 0) > 0 ? (
            "Zoom in to see each"
          ) : (
            "No call was paused or blocked in this view"
          )
        ) : (
          <>
            Last <Text text={newest.action.event.session || newest.action.event.instance} max={30} />:{" "}
            <Text text={newest.action.event.tool ?? "a call"} max={24} /> {OUTCOME_NAMES[newest.action.outcome]}
          </>
        )}
      </Card>
      <Card
        name="What waits for you"
        count={waiting.length}
        zero="Nothing"
        stands="accent"
        open={firstWaiting === undefined ? undefined : () => go({ tab: firstWaiting.tab })}
      >
        {firstWaiting === undefined ? "Nothing waits for your decision" : <Text text={firstWaiting.text} max={110} />}
      </Card>
    </ul>
  );
}

function Card({
  name,
  count,
  zero,
  stands,
  more = false,
  open,
  title,
  children,
}: {
  name: string;
  count: number | undefined;
  zero: string;
  /** How it looks where there is something. */
  stands: "danger" | "info" | "warn" | "accent";
  /** There may be more than was counted. */
  more?: boolean;
  open?: (() => void) | undefined;
  title?: string;
  children: ReactNode;
}) {
  const figure = count === undefined ? "–" : count === 0 ? zero : NUMBER.format(count);
  return (
    <li className="glance-card" data-stands={(count ?? 0) > 0 ? stands : undefined}>
      <h2>{name}</h2>
      <span className="glance-figure">
        {figure}
        {more && count !== undefined && <span title="Still counting"> …</span>}
      </span>
      <span className="glance-text">{children}</span>
      {open !== undefined && (
        <button type="button" className="glance-open" title={title} onClick={open} aria-label={`${name}: ${figure}. Show it`} />
      )}
    </li>
  );
}
