// What was paused or blocked within the view, and why: in sentences.

import { memo, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { type Action, OUTCOME_NAMES, type Stop } from "../model/actions.ts";
import { tellsReading } from "../model/coverage.ts";
import { duration } from "../model/times.ts";
import { Keys, Text, TierBadge, When } from "./common.tsx";
import { OutcomeLabel } from "./mark.tsx";

const FEW = 8;

interface Props {
  stops: Stop[];
  now: number;
  loading: boolean;
  /** Only what is later was looked through; undefined: all of the view was. */
  since: number | undefined;
}

/** The list below the timeline. */
export const Stops = memo(function Stops({ stops, now, loading, since }: Props) {
  const [all, setAll] = useState(false);
  const shown = all ? stops : stops.slice(0, FEW);
  return (
    <section className="stops" aria-labelledby="stops-title">
      <h2 id="stops-title">What was stopped, and why</h2>
      {shown.length === 0 ? (
        <p className="muted">
          {loading ? "Looking …" : `Nothing was paused or blocked ${since === undefined ? "within this view" : "recently"}.`}
        </p>
      ) : (
        <ul>
          {shown.map((stop) => (
            <StopLine stop={stop} now={now} key={stop.action.seq} />
          ))}
        </ul>
      )}
      {since !== undefined && (
        <p className="muted foot">
          Searched back to <When at={since} now={now} style="moment" />. Zoom in to see what came before; the journal has
          everything.
        </p>
      )}
      {stops.length > FEW && (
        <Button className="quiet" onPress={() => setAll(!all)}>
          {all ? "Show only the newest" : `Show all ${stops.length}`}
        </Button>
      )}
    </section>
  );
});

function StopLine({ stop: { action, shown, retry }, now }: { stop: Stop; now: number }) {
  const { openStory } = useApp();
  const { event, keys } = action;
  const unseen = event.shown?.length ?? 0;
  const verb = action.observed ? "would have been paused" : `was ${OUTCOME_NAMES[action.outcome]}`;
  return (
    <li className="stop">
      <OutcomeMark action={action} />
      <div className="stop-text">
        <div>
          <span className="stop-who">
            <Text text={event.session || event.instance} max={60} />
          </span>{" "}
          {action.observed ? "started" : "wanted"} <Text text={event.tool ?? "an unnamed tool"} max={40} /> on{" "}
          <Keys keys={keys} /> and <strong>{verb}</strong>
          {shown.length > 0 && (isHeld(action) ? " while " : ": ")}
          {shown.slice(0, 2).map((earlier, place) => (
            <span key={earlier.seq}>
              {place > 0 && "; "}
              <Earlier earlier={earlier} action={action} />
            </span>
          ))}
          {shown.length === 0 &&
            unseen > 0 &&
            `: it was shown ${unseen} ${unseen === 1 ? "call" : "calls"} from before this view`}
          {shown.length > 2 && `; and ${shown.length - 2} more`}.
        </div>
        <div className="muted">
          <After action={action} retry={retry} />
        </div>
      </div>
      <span className="stop-side">
        <TierBadge tier={event.tier} />
        <When at={action.start} now={now} style="moment" />
        <Button className="quiet" onPress={() => openStory({ keys, seq: action.seq })}>
          Story
        </Button>
      </span>
    </li>
  );
}

/** Blocked by a lease: what it was shown holds the resource. */
function isHeld({ outcome, event }: Action): boolean {
  return outcome === "blocked" && event.what === "blocked" && !event.byRule;
}

function OutcomeMark({ action }: { action: Action }) {
  return (
    <span className="stop-mark" data-tier={action.event.tier}>
      <OutcomeLabel outcome={action.outcome} observed={action.observed} />
    </span>
  );
}

function Earlier({ earlier, action }: { earlier: Action; action: Action }) {
  const own = earlier.lane === action.lane;
  const who = own ? "it" : <Text text={earlier.event.session || earlier.event.instance} max={60} />;
  const before = duration(action.start - earlier.start);
  if (action.event.what === "limited")
    return (
      <>
        {who} made the call, {before} before, that leaves the window of its limit first
      </>
    );
  if (action.outcome === "blocked" && !action.event.byRule)
    return (
      <>
        {who} had held it for {before}
      </>
    );
  return (
    <>
      {who} had begun that {before} before (now: {OUTCOME_NAMES[earlier.outcome]})
    </>
  );
}

function After({ action, retry }: { action: Action; retry: Action | undefined }) {
  if (action.observed) return <>Only observed: it was let through, and is {OUTCOME_NAMES[action.outcome]}.</>;
  if (retry !== undefined)
    return (
      <>
        It retried {duration(retry.start - action.start)} later and was let through: {OUTCOME_NAMES[retry.outcome]}.
      </>
    );
  if (action.readAt !== undefined) return <>The model has read it, and has not retried.</>;
  // Hooks of other runtimes hand the text over, and nobody tells what became of it.
  if (!tellsReading(action.event.runtime)) return <>It has not retried.</>;
  return <>It is not known whether the model has read it yet.</>;
}
