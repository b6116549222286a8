// The timeline: what each session did and when, with what was stopped below.

import { useMemo, useRef } from "react";
import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { useMedia, useSettled, useSize } from "../hooks/shared.ts";
import { useWindowMs } from "../hooks/use-core.ts";
import { useTally } from "../hooks/use-tally.ts";
import { useTimeline } from "../hooks/use-timeline.ts";
import { useTeamPart } from "../hooks/use-together.ts";
import { REACH, useDrawn, useView, type View } from "../hooks/use-view.ts";
import { type Action, actionsOf, type Stop, stopped, stopsOf } from "../model/actions.ts";
import type { Row } from "../model/export.ts";
import { isTooMany, type Lane, laneOrder, lanesOf, type Span } from "../model/lanes.ts";
import { bucketFor } from "../model/spans.ts";
import { columnsOf, figures } from "../model/tally.ts";
import { date, duration, rfc3339, SECOND, sameDay, shortClock } from "../model/times.ts";
import { grouped, groupOf } from "../model/together.ts";
import { Chart } from "./chart.tsx";
import { Empty, Failure, Skeleton } from "./common.tsx";
import { Export } from "./export.tsx";
import { Glance } from "./glance.tsx";
import { GroupChoice } from "./group.tsx";
import { Legend } from "./legend.tsx";
import { Stops } from "./refusals.tsx";
import { Figures } from "./summary.tsx";

const LABELS = 224;

/** The tab "Timeline". */
export function Timeline() {
  const { place, windowTurn } = useApp();
  const windowMs = useWindowMs(place.window, windowTurn);
  if (windowMs === undefined) return <Skeleton rows={8} label="The timeline is loading" />;
  return <Lanes windowMs={windowMs} />;
}

function Lanes({ windowMs }: { windowMs: number }) {
  const { windowTurn, status } = useApp();
  const stacked = useMedia("(max-width: 720px)");
  const [frame, { width: whole }] = useSize<HTMLElement>();
  const width = Math.max(0, whole - (stacked ? 0 : LABELS));
  const view = useView(windowMs, windowTurn, width);
  const loaded = useTimeline(view.span);
  const settled = useSettled(view.span, 400);
  const bucketMs = bucketFor(settled, Math.max(20, Math.min(160, width / 8)));
  const { tally, complete, error: countError, retry: countAgain } = useTally(settled, bucketMs);

  const actions = useMemo(() => actionsOf(loaded.events, true), [loaded.events]);
  const columns = useMemo(() => columnsOf(tally.buckets), [tally]);
  const others = useMemo(() => {
    const last = new Map<string, number>();
    for (const [id, own] of columns) {
      const inside = own.findLast((column) => column.at <= settled.to && column.at >= settled.from);
      if (inside !== undefined) last.set(id, inside.at);
    }
    return last;
  }, [columns, settled]);
  const order = useRef<string[]>([]);
  const groupName = useGroupName();
  const drawn = useDrawn(view.span);
  const length = drawn.to - drawn.from;
  // Bars of running calls grow by the pixel.
  const laidAt = view.now - (view.now % Math.max(SECOND, length / Math.max(1, width)));
  const lanes = useMemo(() => {
    const reach = REACH * (drawn.to - drawn.from);
    const found = lanesOf(actions, others, { from: drawn.from - reach, to: drawn.to + reach }, laidAt);
    order.current = laneOrder(order.current, found);
    const rank = new Map(order.current.map((id, place) => [id, place]));
    found.sort((one, other) => (rank.get(one.id) ?? 0) - (rank.get(other.id) ?? 0));
    return grouped(found, groupName).flatMap(([, lanes]) => lanes);
  }, [actions, others, drawn, laidAt, groupName]);
  const marks = useMemo(() => {
    const isIn = (action: Action) => action.start >= drawn.from && action.start <= drawn.to;
    return lanes.reduce((count, lane) => count + lane.actions.filter(isIn).length, 0);
  }, [lanes, drawn]);
  // The counts are there first, as a rule: then nothing is drawn that has to go again.
  const counted = useMemo(() => figures(tally.buckets, settled.from).significant, [tally, settled]);
  const dense = loaded.tooMany || isTooMany(Math.max(marks, counted), lanes.length, width);
  const stops = useMemo(() => {
    const inView = actions.filter((action) => action.start >= settled.from && action.start <= settled.to);
    return stopsOf(inView, 100);
  }, [actions, settled]);

  const paused = useMemo(() => figures(tally.buckets, settled.from).paused, [tally, settled]);
  const known = complete || tally.buckets.length > 0;
  const stoppedCalls = dense ? paused : Math.max(paused, stopped(stops));
  return (
    <section aria-label="Timeline" ref={frame}>
      <Glance stopped={known ? stoppedCalls : undefined} complete={complete} newest={stops.find(isStopped)} />
      <Figures buckets={tally.buckets} complete={complete} from={settled.from} />
      {countError !== undefined && <Failure what="The calls can't be counted" error={countError} retry={countAgain} />}
      <Toolbar view={view} dense={dense} loading={loaded.loading} rows={() => actionsIn(actions, view.span).map(rowOf)} />
      {loaded.error !== undefined && <Failure what="The timeline can't be loaded" error={loaded.error} retry={loaded.retry} />}
      {lanes.length > 0 && width > 0 ? (
        <Chart
          lanes={lanes}
          columns={columns}
          view={view}
          drawn={drawn}
          laidAt={laidAt}
          width={width}
          labels={LABELS}
          stacked={stacked}
          dense={dense}
          covered={loaded.covered}
          loading={loaded.loading}
          groupOf={groupName}
        />
      ) : loaded.loading || width === 0 ? (
        <Skeleton rows={6} label="The timeline is loading" />
      ) : (
        loaded.error === undefined && (
          <Nothing isNew={status?.journal?.lines === 0} window={duration(view.span.to - view.span.from)} />
        )
      )}
      {lanes.length > 0 && (
        <>
          <Legend dense={dense} />
          <Stops
            stops={stops}
            now={view.now}
            loading={loaded.loading}
            since={loaded.tooMany ? loaded.covered?.from : undefined}
          />
        </>
      )}
    </section>
  );
}

/** What names a lane's group, as the reader has chosen. */
function useGroupName(): (lane: Lane) => string {
  const { place } = useApp();
  const { group } = place;
  // Only the hooks know the folder of a session: the lanes do not.
  const { answer } = useTeamPart("sessions", group === "project");
  const sessions = answer?.sessions;
  return useMemo(() => {
    const known = new Map(
      (sessions ?? []).map((session) => [`${session.instance} ${session.session}`, session.project ?? session.cwd]),
    );
    return (lane: Lane) => groupOf({ ...lane, project: known.get(`${lane.instance} ${lane.session}`) ?? null }, group);
  }, [sessions, group]);
}

/** Whether a stop is one: what was only observed went on. */
function isStopped(stop: Stop): boolean {
  return !stop.action.observed;
}

function rowOf({ event, start, end, outcome, observed, keys }: Action) {
  const { seq, at, instance, session, runtime, tool, tier, ruleName, machine } = event;
  const ended = end === undefined ? null : rfc3339(end);
  return {
    seq,
    at,
    ended,
    outcome,
    observed,
    tool,
    tier,
    rule: ruleName,
    keys,
    session,
    instance,
    runtime,
    machine,
    ms: (end ?? start) - start,
  };
}

function Nothing({ isNew, window }: { isNew: boolean; window: string }) {
  if (!isNew)
    return <Empty title={`No session did anything within these ${window}`}>Choose a longer window to see earlier calls.</Empty>;
  return (
    <Empty title="No session has done anything yet">
      <p>As soon as an agent calls a tool, it appears here. To check whether calls pass the gate at all, run:</p>
      <pre className="command">callosum doctor --canary</pre>
      <p>Claude Code, Codex and Gemini CLI join with hooks of their own; the tab Coverage shows how.</p>
    </Empty>
  );
}

function actionsIn(actions: readonly Action[], { from, to }: Span): Action[] {
  return actions.filter((action) => action.start >= from && action.start <= to);
}

function Toolbar({ view, dense, loading, rows }: { view: View; dense: boolean; loading: boolean; rows: () => Row[] }) {
  const { from, to } = view.span;
  const until = Math.min(to, view.now);
  const day = (ms: number) => (sameDay(ms, view.now) ? "" : `${date(ms)}, `);
  return (
    <div className="toolbar">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of a form */}
      <div className="segmented" role="group" aria-label="Zoom and move">
        <Button className="segment" aria-label="Earlier" onPress={() => view.moveBy(-0.5)}>
          ‹
        </Button>
        <Button className="segment" aria-label="Zoom out" onPress={() => view.zoomBy(2)}>
          −
        </Button>
        <Button className="segment" aria-label="Zoom in" onPress={() => view.zoomBy(0.5)}>
          +
        </Button>
        <Button className="segment" aria-label="Later" onPress={() => view.moveBy(0.5)}>
          ›
        </Button>
      </div>
      <Button className="button follow" aria-pressed={view.follows} onPress={view.follow}>
        {view.follows ? "Following now" : "Back to now"}
      </Button>
      <span className="range">
        {day(from)}
        {shortClock(from)} – {view.follows ? "now" : `${sameDay(from, until) ? "" : day(until)}${shortClock(until)}`}
        <span className="muted"> ({duration(to - from)})</span>
      </span>
      <span
        className="kind"
        title={
          dense
            ? "There are too many calls to show each one: zoom in to see them"
            : "Each significant call (tier 2 and above) has a mark"
        }
      >
        {dense ? "Counts per stretch" : "Single calls"}
      </span>
      {loading && <span className="loading">Loading older …</span>}
      <span className="toolbar-end">
        <GroupChoice />
        <Export name="calls" rows={rows} />
      </span>
    </div>
  );
}
