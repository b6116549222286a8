// The calls of a story in their order, with links to what each was shown.

import { Fragment, useMemo } from "react";
import { type Action, OUTCOME_NAMES } from "../model/actions.ts";
import { type Told, tell } from "../model/story.ts";
import { duration, msOf } from "../model/times.ts";
import type { JournalEvent, Story } from "../model/wire.ts";
import { LongText, Text, TierBadge, When, Who } from "./common.tsx";
import { Shape } from "./mark.tsx";

/** Calls that are drawn at most, the newest. */
const MOST = 200;

/** The list of the story's calls, newest last; `seq` is the one it was opened for. */
export function StoryEvents({ story, seq, now }: { story: Story; seq: number | undefined; now: number }) {
  const calls = useMemo(() => tell(story), [story]);
  const chosen = calls.find((call) => call.action.seq === seq || call.sequels.some((event) => event.seq === seq));
  const sessions = new Set(calls.map((call) => call.action.lane)).size;
  const left = Math.max(0, calls.length - MOST);
  return (
    <>
      <p className="muted">
        {calls.length} {calls.length === 1 ? "call" : "calls"} by {sessions} {sessions === 1 ? "session" : "sessions"}, oldest
        first.
        {story.earlier && " The journal has more from before."}
        {left > 0 && ` The first ${left} are left out here.`}
        {chosen !== undefined && chosen.number > left && calls.length > 1 && (
          <>
            {" "}
            You came from <Numbers numbers={[chosen.number]} />.
          </>
        )}
      </p>
      <ol className="story">
        {calls.slice(left).map((call) => (
          <Call call={call} chosen={call === chosen} now={now} key={call.action.seq} />
        ))}
      </ol>
    </>
  );
}

function Call({ call, chosen, now }: { call: Told; chosen: boolean; now: number }) {
  const { action, number, sequels } = call;
  const { event } = action;
  return (
    <li
      className="call"
      id={`call-${number}`}
      data-chosen={chosen || undefined}
      data-tier={event.tier}
      data-outcome={action.outcome}
      tabIndex={-1}
    >
      <div className="call-line">
        <span className="call-number">{number}</span>
        <span className="call-mark">
          <Shape outcome={action.outcome} observed={action.observed} />
        </span>
        <div className="call-text">
          <div>
            <Who session={event.session} machine={event.machine} instance={event.instance} runtime={event.runtime} />
          </div>
          <div>
            <Deed call={call} />
          </div>
          {event.params !== undefined && (
            <div className="params">
              <LongText text={event.params} max={260} />
            </div>
          )}
          <ul className="sequels">
            {sequels.map((sequel) => (
              <li key={sequel.seq}>
                <When at={sequel.at} now={now} style="moment" /> <Sequel event={sequel} of={action} />
              </li>
            ))}
            {sequels.every((sequel) => sequel.what === "read" || sequel.what === "running") && event.stands && (
              <li>
                <strong>Now:</strong> {event.stands}
              </li>
            )}
          </ul>
          {call.shownTo.length > 0 && (
            <div className="muted">
              Later shown to <Numbers numbers={call.shownTo} />
            </div>
          )}
        </div>
        <span className="call-side">
          <TierBadge tier={event.tier} />
          <When at={event.at} now={now} style="moment" />
        </span>
      </div>
    </li>
  );
}

/** What the call was, and how the gate decided. */
function Deed({ call: { action, shown, elsewhere } }: { call: Told }) {
  const { event } = action;
  const tool = <Text text={event.tool ?? "an unnamed tool"} max={60} />;
  const what = <Evidence shown={shown} elsewhere={elsewhere} />;
  switch (event.what) {
    case "paused":
      return (
        <>
          wanted {tool} and was <strong>paused</strong>: it was shown {what}
        </>
      );
    case "blocked":
      return (
        <>
          wanted {tool} and was <strong>blocked</strong> {event.byRule ? <>by its rule over {what}</> : <>while {what} held it</>}
        </>
      );
    case "limited":
      return (
        <>
          wanted {tool} and was <strong>blocked</strong> by a limit
          {event.reason !== undefined && (
            <>
              : <Text text={event.reason} max={200} />
            </>
          )}
        </>
      );
    case "noted":
      return (
        <>
          <strong>started</strong> {tool}; {what} spoke against it, which was only noted
        </>
      );
    case "asked":
      return (
        <>
          wanted {tool}, and a <strong>person was asked</strong> over {what}
        </>
      );
    case "retried":
      return (
        <>
          <strong>started</strong> {tool}, having been shown {what}
        </>
      );
    case "observed":
      return (
        <>
          <strong>started</strong> {tool}; it would have been paused over {what}, but is only observed
        </>
      );
    case "refused":
    case "denied":
      return (
        <>
          wanted {tool} and was <strong>{event.what === "denied" ? "refused by policy" : "refused"}</strong>
          {event.reason !== undefined && (
            <>
              : <Text text={event.reason} max={200} />
            </>
          )}
        </>
      );
    case "leased":
      return (
        <>
          took the <strong>lease</strong>
        </>
      );
    default:
      // What became of a call stands for it where its start lies before what was loaded.
      event.what satisfies "started" | "read" | "running" | "released" | "extended" | keyof typeof OUTCOME_NAMES;
      return (
        <>
          <strong>started</strong> {tool}
        </>
      );
  }
}

function Evidence({ shown, elsewhere }: { shown: number[]; elsewhere: number }) {
  if (shown.length === 0 && elsewhere === 0) return <>another call</>;
  return (
    <>
      {shown.length > 0 && <Numbers numbers={shown} />}
      {shown.length > 0 && elsewhere > 0 && " and "}
      {elsewhere > 0 && `${elsewhere} ${elsewhere === 1 ? "call" : "calls"} on other resources or from before`}
    </>
  );
}

const MOST_NUMBERS = 8;

function Numbers({ numbers }: { numbers: number[] }) {
  const go = (number: number) => {
    const call = document.getElementById(`call-${number}`);
    call?.scrollIntoView({ block: "center" });
    call?.focus({ preventScroll: true });
  };
  return (
    <>
      {numbers.slice(0, MOST_NUMBERS).map((number, place) => (
        <Fragment key={number}>
          {place > 0 && ", "}
          <button type="button" className="plain number-link" onClick={() => go(number)}>
            call {number}
          </button>
        </Fragment>
      ))}
      {numbers.length > MOST_NUMBERS && ` and ${numbers.length - MOST_NUMBERS} more`}
    </>
  );
}

function Sequel({ event, of }: { event: JournalEvent; of: Action }) {
  const reason = event.reason !== undefined && (
    <>
      , <Text text={event.reason} max={240} />
    </>
  );
  const after = ` after ${duration(msOf(event.at) - of.start)}`;
  switch (event.what) {
    case "read":
      return <>the model read this</>;
    case "running":
      return <>continues in the background</>;
    case "released":
      return <>its lease was released{reason}</>;
    case "extended":
      return <>its lease was renewed</>;
    case "complete":
    case "failed":
    case "refused":
    case "unknown":
      // Nothing was to run.
      if (event.what === "refused" && of.event.what === "leased") return <>the lease is over{reason}</>;
      return (
        <>
          <strong>{OUTCOME_NAMES[event.what]}</strong>
          {after}
          {event.exitCode !== undefined && `, exit ${event.exitCode}`}
          {event.what === "refused" && ", it did not run"}
          {reason}
        </>
      );
    default:
      return <>{event.what}</>;
  }
}
