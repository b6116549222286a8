// One lane: its label, the marks of its calls, and the counts at its foot.

import { memo, useMemo } from "react";
import { REACH } from "../hooks/use-view.ts";
import { type Action, OUTCOME_NAMES } from "../model/actions.ts";
import { endOf, type Lane, MARK_WIDTH, type Span } from "../model/lanes.ts";
import { type Curve, LABEL_LINE, type LaneBox, rowTop } from "../model/layout.ts";
import { type Column, significant } from "../model/tally.ts";
import { cut, visible } from "../model/text.ts";
import { clock, duration } from "../model/times.ts";
import { Text } from "./common.tsx";
import { Shape } from "./mark.tsx";

/** Whose lane it is. */
export const LaneLabel = memo(function LaneLabel({ lane }: { lane: Lane }) {
  return (
    <>
      <span className="lane-session" title={visible(cut(lane.session, 500))}>
        {lane.session === "" ? "no session" : <Text text={lane.session} max={120} />}
      </span>
      <span className="lane-place">
        {lane.runtime !== "" && (
          <span className="runtime" data-runtime={lane.runtime}>
            <Text text={lane.runtime} max={24} />
          </span>
        )}
        <Text text={lane.instance} max={60} />
      </span>
    </>
  );
});

interface MarksProps {
  box: LaneBox;
  now: number;
  width: number;
  stacked: boolean;
  /** The mark that Tab leads to. */
  entry: number | undefined;
  active: number | undefined;
  lit: Curve[];
  point(seq: number | undefined): void;
  focus(action: Action | undefined): void;
  press(action: Action, event: { key: string; shiftKey: boolean; preventDefault(): void }): void;
  open(action: Action): void;
}

/** The marks of a lane's calls. */
export const LaneMarks = memo(function LaneMarks({
  box,
  width,
  stacked,
  entry,
  active,
  lit,
  point,
  focus,
  press,
  open,
  now,
}: MarksProps) {
  const reach = REACH * width;
  return box.placed.map(({ action, x, width: length, row }) => {
    // The one with the focus stays, else the keys would lead nowhere.
    if ((x > width + reach || x + length < -reach) && action.seq !== active) return null;
    // What reaches out of the view would make the page as wide.
    const from = Math.min(Math.max(x, -reach - 20), width + reach + 4);
    const until = Math.max(from + MARK_WIDTH, Math.min(x + length, width + reach + 20));
    const isLinked = lit.some((curve) => curve.shown === action || curve.by === action);
    return (
      <button
        type="button"
        className="mark"
        key={action.seq}
        data-seq={action.seq}
        data-tier={action.event.tier}
        data-outcome={action.outcome}
        data-long={length > 22 || undefined}
        data-linked={isLinked || undefined}
        data-active={active === action.seq || undefined}
        tabIndex={entry === action.seq ? 0 : -1}
        aria-label={labelOf(action, now)}
        style={{ transform: `translate(${from.toFixed(1)}px, ${rowTop(box, row, stacked)}px)`, width: until - from }}
        onPointerEnter={() => point(action.seq)}
        onPointerLeave={() => point(undefined)}
        onFocus={() => focus(action)}
        onBlur={() => focus(undefined)}
        onKeyDown={(event) => press(action, event)}
        onClick={() => open(action)}
      >
        <MarkInside outcome={action.outcome} observed={action.observed} />
      </button>
    );
  });
});

const MarkInside = memo(function MarkInside({ outcome, observed }: { outcome: Action["outcome"]; observed: boolean }) {
  return (
    <>
      <span className="bar" />
      <Shape outcome={outcome} observed={observed} />
    </>
  );
});

/** The sentences of calls that have ended: they are asked for with every move. */
const labels = new WeakMap<Action, string>();

/** A call in a sentence, for those who hear the page. */
function labelOf(action: Action, now: number): string {
  const known = labels.get(action);
  if (known !== undefined) return known;
  const label = writeLabel(action, now);
  if (action.outcome !== "running") labels.set(action, label);
  return label;
}

function writeLabel(action: Action, now: number): string {
  const { event, keys } = action;
  const tool = visible(cut(event.tool ?? "an unnamed tool", 60));
  const key =
    keys[0] === undefined ? "" : ` on ${visible(cut(keys[0], 80))}${keys.length > 1 ? ` and ${keys.length - 1} more` : ""}`;
  const shown = (event.shown ?? []).length > 0 ? `, shown ${(event.shown ?? []).length} earlier` : "";
  const length = action.end === undefined || action.end > action.start ? `, ${duration(endOf(action, now) - action.start)}` : "";
  const observed = action.observed ? ", only observed" : "";
  return `${OUTCOME_NAMES[action.outcome]}: ${tool}${key}, tier ${event.tier ?? "unknown"}, ${action.loose ? "ended " : ""}${clock(action.start)}${length}${shown}${observed}`;
}

interface StripProps {
  columns: Column[];
  span: Span;
  width: number;
  height: number;
  dense: boolean;
  stacked: boolean;
}

/** Counts of calls: of all significant ones where single ones are not shown, and of the others as a thin line at the foot. */
export const Strip = memo(function Strip({ columns, span, width, height, dense, stacked }: StripProps) {
  const paths = useMemo(
    () => stripPaths(columns, span, width, height, dense, stacked),
    [columns, span, width, height, dense, stacked],
  );
  if (columns.length === 0) return null;
  const inView = columns.filter((column) => column.at <= span.to && column.at >= span.from);
  const calls = inView.reduce((sum, column) => sum + significant(column), 0);
  const paused = inView.reduce((sum, column) => sum + column.paused, 0);
  return (
    <>
      <svg className="strip" width={width} height={height} aria-hidden="true">
        {paths.map(({ tier, d }) => (
          <path key={tier} data-tier={tier} d={d} />
        ))}
      </svg>
      {dense && (
        <span className="sr-only">
          {calls} significant calls, {paused} paused or blocked
        </span>
      )}
    </>
  );
});

const FOOT = 6;

function stripPaths(
  columns: Column[],
  span: Span,
  width: number,
  height: number,
  dense: boolean,
  stacked: boolean,
): { tier: string; d: string }[] {
  const perMs = width / (span.to - span.from);
  const step = columns.reduce(
    (least, column, place) => Math.min(least, place === 0 ? least : column.at - (columns[place - 1]?.at ?? 0)),
    Number.POSITIVE_INFINITY,
  );
  const wide = Math.max(1.5, Math.min(14, (Number.isFinite(step) ? step : 60_000) * perMs) - 0.75);
  const most = Math.max(1, ...columns.map(significant));
  const mostLight = Math.max(1, ...columns.map((column) => column.tiers[0] + column.tiers[1]));
  const room = height - FOOT - 8 - (stacked ? LABEL_LINE : 0);
  const paths: Record<string, string> = { "0": "", "2": "", "3": "", "4": "", paused: "" };
  const box = (x: number, y: number, tall: number) =>
    `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${tall.toFixed(1)}h${(-wide).toFixed(1)}z`;
  for (const column of columns) {
    const x = (column.at - span.from) * perMs;
    if (x > (1 + REACH) * width || x + wide < -REACH * width) continue;
    const light = column.tiers[0] + column.tiers[1];
    if (light > 0) {
      const tall = 1 + (FOOT - 2) * Math.sqrt(light / mostLight);
      paths["0"] += box(x, height - tall, tall);
    }
    if (!dense) continue;
    let y = height - FOOT - 1;
    for (const tier of [2, 3, 4] as const) {
      const count = column.tiers[tier];
      if (count === 0) continue;
      const tall = Math.max(1.5, (room * count) / most);
      y -= tall;
      paths[tier] += box(x, y, tall);
    }
    if (column.paused > 0) paths.paused += box(x, y - 4, 2.5);
  }
  return Object.entries(paths).map(([tier, d]) => ({ tier, d }));
}
