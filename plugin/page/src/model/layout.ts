// The timeline as it is drawn: each lane's height and place, and what lies in it.

import type { Action } from "./actions.ts";
import { type Lane, type Placed, place, type Span } from "./lanes.ts";

/** A lane with its place, pixels from the top of all lanes. */
export interface LaneBox {
  lane: Lane;
  top: number;
  height: number;
  placed: Placed[];
  /** The name of the group that begins with it, in a line above. */
  group: string | undefined;
}

const ROW = 18;
const PADDING = 7;
const LEAST = 42;
/** The line of a group's name. */
export const GROUP_LINE = 26;
/** The label's line, where labels stand above their lanes. */
export const LABEL_LINE = 22;

/** The lanes one below the other. `stacked`: each has its label above. `groupOf` names the group of each; those of one stand together. */
export function boxesOf(
  lanes: readonly Lane[],
  span: Span,
  width: number,
  now: number,
  stacked: boolean,
  groupOf: (lane: Lane) => string = () => "",
): LaneBox[] {
  let top = 0;
  let before = "";
  return lanes.map((lane) => {
    const name = groupOf(lane);
    const group = name === before ? undefined : name;
    before = name;
    if (group !== undefined) top += GROUP_LINE;
    const placed = place(lane.actions, span, width, now);
    const rows = placed.reduce((most, mark) => Math.max(most, mark.row + 1), 1);
    const least = stacked ? LABEL_LINE + 30 : LEAST;
    const height = Math.max(least, (stacked ? LABEL_LINE : 0) + rows * ROW + 2 * PADDING);
    const box = { lane, top, height, placed, group };
    top += height;
    return box;
  });
}

/** Where a mark's row begins, pixels from the top of its lane. */
export function rowTop(box: LaneBox, row: number, stacked: boolean): number {
  const rows = box.placed.reduce((most, mark) => Math.max(most, mark.row + 1), 1);
  const above = stacked ? LABEL_LINE : 0;
  return above + (box.height - above - rows * ROW) / 2 + row * ROW;
}

/** A line from the action that was shown to the one that it was shown to, in pixels. */
export interface Curve {
  from: { x: number; y: number };
  to: { x: number; y: number };
  shown: Action;
  by: Action;
}

/** The lines between the marks that are placed. */
export function curvesOf(boxes: readonly LaneBox[], stacked: boolean): Curve[] {
  const places = new Map<number, { x: number; start: number; y: number; action: Action }>();
  for (const box of boxes)
    for (const mark of box.placed) {
      const y = box.top + rowTop(box, mark.row, stacked) + ROW / 2;
      places.set(mark.action.seq, { x: mark.x + mark.width - 8, start: mark.x + 8, y, action: mark.action });
    }
  const curves: Curve[] = [];
  for (const to of places.values())
    for (const seq of to.action.event.shown ?? []) {
      const from = places.get(seq);
      if (from === undefined) continue;
      // What was shown may have ended later: the line leaves its bar where it was shown.
      const x = Math.max(from.start, Math.min(from.x, to.start - 4));
      curves.push({ from: { x, y: from.y }, to: { x: to.start, y: to.y }, shown: from.action, by: to.action });
    }
  return curves;
}

/** The path of a curve. */
export function curvePath({ from, to }: Curve): string {
  if (Math.abs(from.y - to.y) < 4) {
    const lift = Math.min(26, 8 + Math.abs(to.x - from.x) / 6);
    return `M${from.x} ${from.y - 5}Q${(from.x + to.x) / 2} ${from.y - 5 - lift} ${to.x} ${to.y - 7}`;
  }
  const bend = Math.max(6, Math.abs(to.x - from.x) / 2);
  return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
