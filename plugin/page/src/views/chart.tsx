// The chart of the timeline: lanes below each other, time from left to right.

import { memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useApp } from "../hooks/app.ts";
import { useLatest } from "../hooks/shared.ts";
import { useGestures, useViewKeys, type View } from "../hooks/use-view.ts";
import type { Action } from "../model/actions.ts";
import { isWithin, type Lane, neighbour, type Span } from "../model/lanes.ts";
import { boxesOf, type Curve, curvesOf, GROUP_LINE } from "../model/layout.ts";
import type { Column } from "../model/tally.ts";
import { Axis, Curves, Now, Tip, Unloaded } from "./chart-parts.tsx";
import { Text } from "./common.tsx";
import { LaneLabel, LaneMarks, Strip } from "./lane.tsx";

interface Props {
  lanes: Lane[];
  columns: Map<string, Column[]>;
  view: View;
  /** The stretch that the lanes are laid out for, which may lie a little aside of the view. */
  drawn: Span;
  /** The moment that they are laid out for. */
  laidAt: number;
  /** Of the plot, without labels: pixels. */
  width: number;
  /** Of the labels at the left: pixels. */
  labels: number;
  /** Labels stand above their lanes. */
  stacked: boolean;
  /** Counts instead of single calls. */
  dense: boolean;
  covered: Span | undefined;
  loading: boolean;
  /** The name of each lane's group; empty where there are none. */
  groupOf: (lane: Lane) => string;
}

/** Lanes that are drawn beyond what is in sight, pixels. */
const BEYOND = 400;
/** So few curves are always drawn. */
const FEW_CURVES = 12;

/** Lanes, axis and marks. */
export function Chart({ lanes, columns, view, drawn, laidAt, width, labels, stacked, dense, covered, loading, groupOf }: Props) {
  const { openStory } = useApp();
  const { span, now } = view;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [plot, setPlot] = useState<HTMLElement | null>(null);
  const [sight, setSight] = useState({ top: 0, height: 1_000 });
  const [pointed, setPointed] = useState<number>();
  const [focused, setFocused] = useState<number>();
  const [entry, setEntry] = useState<number>();
  useGestures(plot, view);
  useViewKeys(scroller, view);

  const boxes = useMemo(
    () => boxesOf(dense ? lanes.map((lane) => ({ ...lane, actions: [] })) : lanes, drawn, width, laidAt, stacked, groupOf),
    [lanes, dense, drawn, width, laidAt, stacked, groupOf],
  );
  const aside = ((drawn.from - span.from) / (span.to - span.from)) * width;
  const last = boxes.at(-1);
  const height = last === undefined ? 0 : last.top + last.height;
  const curves = useMemo(() => (dense ? [] : curvesOf(boxes, stacked)), [boxes, dense, stacked]);
  const rows = useMemo(() => boxes.map((box) => box.placed.map((mark) => mark.action)), [boxes]);
  const all = useMemo(() => rows.flat(), [rows]);
  const bySeq = (seq: number | undefined) => (seq === undefined ? undefined : all.find((action) => action.seq === seq));
  // One mark can be reached with Tab: where the reader was last, else the newest.
  const entryPoint =
    bySeq(entry) ??
    all.reduce<Action | undefined>(
      (newest, action) => (newest === undefined || action.start > newest.start ? action : newest),
      undefined,
    );

  useEffect(() => {
    if (scroller === null) return;
    const look = () => setSight({ top: scroller.scrollTop, height: scroller.clientHeight });
    look();
    scroller.addEventListener("scroll", look, { passive: true });
    return () => scroller.removeEventListener("scroll", look);
  }, [scroller]);

  const wantsFocus = useRef<number>(undefined);
  const goTo = useCallback(
    (action: Action) => {
      wantsFocus.current = action.seq;
      setEntry(action.seq);
      const length = span.to - span.from;
      if (action.start < span.from || action.start > span.to)
        view.show({ from: action.start - length / 2, to: action.start + length / 2 });
    },
    [span, view.show],
  );
  useEffect(() => {
    if (wantsFocus.current === undefined || plot === null) return;
    const mark = plot.querySelector<HTMLElement>(`[data-seq="${wantsFocus.current}"]`);
    if (mark === null) return;
    wantsFocus.current = undefined;
    mark.focus({ preventScroll: true });
    mark.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  const latest = useLatest({ rows, goTo, span, now });
  const onKey = useCallback(
    (action: Action, event: { key: string; shiftKey: boolean; preventDefault(): void }) => {
      if (event.shiftKey) return;
      const next = neighbour(latest.current.rows, action, event.key);
      const isMove = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
      if (isMove) event.preventDefault();
      if (next !== undefined) latest.current.goTo(next);
    },
    [latest],
  );
  const onFocus = useCallback(
    (action: Action | undefined) => {
      setFocused(action?.seq);
      // Tab may lead to a mark that is drawn, but out of sight.
      const { span, now, goTo } = latest.current;
      if (action !== undefined && !isWithin(action, span, now)) goTo(action);
    },
    [latest],
  );
  const open = useCallback((action: Action) => openStory({ keys: action.keys, seq: action.seq }), [openStory]);

  const shownSeq = pointed ?? focused;
  const active = bySeq(shownSeq);
  const lit = useMemo(
    () =>
      shownSeq === undefined ? NO_CURVES : curves.filter((curve) => curve.shown.seq === shownSeq || curve.by.seq === shownSeq),
    [curves, shownSeq],
  );
  const pushed = { transform: `translateX(${aside.toFixed(1)}px)` };
  const inSight = boxes.filter(
    (box) =>
      (box.top + box.height >= sight.top - BEYOND && box.top <= sight.top + sight.height + BEYOND) ||
      box.lane.id === entryPoint?.lane,
  );
  return (
    <div className="chart-frame">
      <section
        className="chart"
        data-stacked={stacked || undefined}
        ref={setScroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and takes keys that zoom and move
        tabIndex={0}
        aria-label={`Lanes of ${lanes.length} sessions. Plus and minus zoom, arrow keys move. ${dense ? "" : "Tab leads to the marks, arrow keys from mark to mark, Enter opens a story."}`}
      >
        {!stacked && (
          <div className="lane-labels" aria-hidden="true">
            <div className="axis-corner">Session</div>
            <div className="lane-space" style={{ height }}>
              {inSight.map(({ lane, top, group }) =>
                group === undefined ? null : (
                  <div className="lane-group" key={`group ${lane.id}`} style={{ transform: `translateY(${top - GROUP_LINE}px)` }}>
                    <Text text={group} max={60} />
                  </div>
                ),
              )}
              {inSight.map(({ lane, top, height }) => (
                <div className="lane-label" key={lane.id} style={{ transform: `translateY(${top}px)`, height }}>
                  <LaneLabel lane={lane} />
                </div>
              ))}
            </div>
          </div>
        )}
        <div className="plot" ref={setPlot}>
          <Axis span={span} width={width} height={height} />
          <div className="lane-space" style={{ height }}>
            {inSight.map(({ lane, top, group }) =>
              group === undefined ? null : (
                <div className="lane-group" key={lane.id} style={{ transform: `translateY(${top - GROUP_LINE}px)` }}>
                  <span className={stacked ? undefined : "sr-only"}>
                    <Text text={group} max={60} />
                  </span>
                </div>
              ),
            )}
            <ul className="lanes">
              {inSight.map((box) => (
                <li className="lane" key={box.lane.id} style={{ transform: `translateY(${box.top}px)`, height: box.height }}>
                  {stacked ? (
                    <div className="lane-label">
                      <LaneLabel lane={box.lane} />
                    </div>
                  ) : (
                    <span className="sr-only">
                      <LaneLabel lane={box.lane} />
                    </span>
                  )}
                  <div className="pushed" style={pushed}>
                    <Strip
                      columns={columns.get(box.lane.id) ?? NO_COLUMNS}
                      span={drawn}
                      width={width}
                      height={box.height}
                      dense={dense}
                      stacked={stacked}
                    />
                    <LaneMarks
                      box={box}
                      now={laidAt}
                      width={width}
                      stacked={stacked}
                      entry={entryPoint?.seq}
                      active={shownSeq}
                      lit={lit}
                      point={setPointed}
                      focus={onFocus}
                      press={onKey}
                      open={open}
                    />
                  </div>
                </li>
              ))}
            </ul>
            <Curves curves={curves.length <= FEW_CURVES ? curves : lit} lit={lit} aside={aside} width={width} height={height} />
            <Now span={span} width={width} now={now} />
            <Unloaded span={span} width={width} covered={covered} loading={loading && !dense} />
          </div>
        </div>
        <Summary lanes={lanes} dense={dense} />
      </section>
      {active !== undefined && (
        <Tip
          action={active}
          boxes={boxes}
          curves={lit}
          aside={aside}
          width={width}
          sight={sight}
          left={stacked ? 0 : labels}
          stacked={stacked}
          now={now}
        />
      )}
    </div>
  );
}

const NO_COLUMNS: Column[] = [];
const NO_CURVES: Curve[] = [];

const Summary = memo(function Summary({ lanes, dense }: { lanes: Lane[]; dense: boolean }) {
  const actions = lanes.flatMap((lane) => lane.actions);
  const count = (outcome: string) => actions.filter((action) => action.outcome === outcome).length;
  return (
    <p className="sr-only">
      {lanes.length} sessions.{" "}
      {dense
        ? "There are too many calls to show each; zoom in to see them."
        : `${actions.length} significant calls: ${count("complete")} complete, ${count("failed")} failed, ${count("running")} running, ${count("paused")} paused, ${count("blocked")} blocked, ${count("unknown")} with an unknown outcome.`}
    </p>
  );
});
