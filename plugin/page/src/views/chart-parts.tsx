// What lies over and under the lanes: axis, now, curves, and the card of the mark one points to.

import { memo, useMemo } from "react";
import type { Action } from "../model/actions.ts";
import { endOf, type Span } from "../model/lanes.ts";
import { type Curve, curvePath, type LaneBox, rowTop } from "../model/layout.ts";
import { ticksOf } from "../model/ticks.ts";
import { clock, duration } from "../model/times.ts";
import { KeyName, Text, TierBadge } from "./common.tsx";
import { OutcomeLabel } from "./mark.tsx";

/** The time axis, and its lines through all lanes. The wheel zooms on it. */
export const Axis = memo(function Axis({ span, width, height }: { span: Span; width: number; height: number }) {
  const ticks = useMemo(() => ticksOf(span, width, 92), [span, width]);
  return (
    <>
      <div className="axis" data-wheel aria-hidden="true">
        {ticks.map((tick) => (
          <span
            className="tick"
            key={tick.ms}
            data-major={tick.major || undefined}
            style={{ transform: `translateX(${tick.x.toFixed(1)}px)` }}
          >
            {tick.text}
          </span>
        ))}
      </div>
      <div className="grid-lines" aria-hidden="true">
        {ticks.map((tick) => (
          <span
            key={tick.ms}
            data-major={tick.major || undefined}
            style={{ transform: `translateX(${tick.x.toFixed(1)}px)`, height }}
          />
        ))}
      </div>
    </>
  );
});

/** The line of now. */
export function Now({ span, width, now }: { span: Span; width: number; now: number }) {
  if (now < span.from || now > span.to) return null;
  const x = ((now - span.from) / (span.to - span.from)) * width;
  return (
    <div className="now-line" style={{ transform: `translateX(${x.toFixed(1)}px)` }} aria-hidden="true">
      <span>now</span>
    </div>
  );
}

/** What of the view is not loaded yet. */
export function Unloaded({
  span,
  width,
  covered,
  loading,
}: {
  span: Span;
  width: number;
  covered: Span | undefined;
  loading: boolean;
}) {
  if (!loading || covered === undefined || covered.from <= span.from) return null;
  const share = Math.min(1, (covered.from - span.from) / (span.to - span.from));
  return (
    <div className="unloaded" style={{ width: share * width }}>
      <span>Loading older …</span>
    </div>
  );
}

interface CurvesProps {
  curves: Curve[];
  lit: Curve[];
  /** How far what is drawn is pushed, pixels. */
  aside: number;
  width: number;
  height: number;
}

/** From what was shown to whom it was shown. */
export function Curves({ curves, lit, aside, width, height }: CurvesProps) {
  return (
    <svg
      className="curves"
      width={width}
      height={height}
      style={{ transform: `translateX(${aside.toFixed(1)}px)` }}
      aria-hidden="true"
    >
      {curves.map((curve) => (
        <path
          key={`${curve.shown.seq} ${curve.by.seq}`}
          d={curvePath(curve)}
          data-lit={lit.includes(curve) || undefined}
          data-by={curve.by.outcome}
        />
      ))}
    </svg>
  );
}

interface TipProps {
  action: Action;
  boxes: LaneBox[];
  curves: Curve[];
  /** How far what is drawn is pushed, pixels. */
  aside: number;
  width: number;
  /** What of the lanes is scrolled into sight, pixels. */
  sight: { top: number; height: number };
  /** The width of the labels at the left. */
  left: number;
  stacked: boolean;
  now: number;
}

const TIP_WIDTH = 300;
const AXIS = 28;

/** The card of the mark that is pointed to or has the focus: what its label says, for the eye. */
export function Tip({ action, boxes, curves, aside, width, sight, left, stacked, now }: TipProps) {
  const box = boxes.find((known) => known.lane.id === action.lane);
  const mark = box?.placed.find((known) => known.action === action);
  if (box === undefined || mark === undefined) return null;
  const { event, keys } = action;
  const y = AXIS + box.top + rowTop(box, mark.row, stacked) - sight.top;
  const below = y < sight.height / 2;
  const middle = Math.min(Math.max(mark.x + aside + mark.width - 8, 0), width);
  const x = left + Math.min(Math.max(middle - TIP_WIDTH / 2, 4), Math.max(4, width - TIP_WIDTH - 4));
  const before = curves.filter((curve) => curve.by === action).map((curve) => curve.shown);
  const after = curves.filter((curve) => curve.shown === action).map((curve) => curve.by);
  const reason = action.ending?.reason ?? event.reason;
  return (
    <div
      className="tip"
      style={{ transform: `translate(${x}px, ${below ? y + 26 : y - 8}px)${below ? "" : " translateY(-100%)"}` }}
      aria-hidden="true"
    >
      <div className="tip-head">
        <TierBadge tier={event.tier} />
        <strong>
          <Text text={event.tool ?? "an unnamed tool"} max={40} />
        </strong>
        <OutcomeLabel outcome={action.outcome} observed={action.observed} exitCode={action.ending?.exitCode} />
      </div>
      {keys.slice(0, 3).map((key) => (
        <div key={key}>
          <KeyName name={key} max={70} />
        </div>
      ))}
      {keys.length > 3 && <div className="muted">and {keys.length - 3} more resources</div>}
      <div className="muted">
        {action.loose && "ended "}
        {clock(action.start)}
        {action.end !== action.start &&
          `, ${action.end === undefined && action.outcome !== "running" ? "no outcome seen" : duration(endOf(action, now) - action.start)}`}
        {event.ruleName !== undefined && (
          <>
            , rule <Text text={event.ruleName} max={40} />
          </>
        )}
      </div>
      {reason !== undefined && (
        <div>
          <Text text={reason} max={140} />
        </div>
      )}
      {event.stands && action.ending === undefined && <div>{event.stands}</div>}
      {action.observed && <div>Would have been paused; only observed.</div>}
      <Relations words={action.outcome === "blocked" ? "Blocked by" : "Was shown"} actions={before} />
      <Relations words="Was shown to" actions={after} />
      <div className="tip-hint">Enter or click: the whole story</div>
    </div>
  );
}

function Relations({ words, actions }: { words: string; actions: Action[] }) {
  if (actions.length === 0) return null;
  return (
    <div>
      <span className="muted">{words}: </span>
      {actions.slice(0, 3).map((action, place) => (
        <span key={action.seq}>
          {place > 0 && ", "}
          <Text text={action.event.session || action.event.instance} max={36} />{" "}
          <span className="muted">{clock(action.start)}</span>
        </span>
      ))}
      {actions.length > 3 && ` and ${actions.length - 3} more`}
    </div>
  );
}
