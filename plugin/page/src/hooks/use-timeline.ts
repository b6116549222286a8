// The events of the timeline: asked for in pieces, newest first, and kept as fresh as the journal.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AskError } from "../api.ts";
import type { Span } from "../model/lanes.ts";
import { missing, wanted } from "../model/spans.ts";
import { MINUTE, msOf } from "../model/times.ts";
import type { JournalEvent, TimelinePiece } from "../model/wire.ts";
import { useApp } from "./app.ts";
import { useLatest, useSettled } from "./shared.ts";
import { asAskError, useOften, useRetry } from "./use-core.ts";

/** Events of a piece; and how many are loaded for a view before counts are shown instead. */
const PIECE = 1_000;
export const MOST_EVENTS = 6_000;
/** Lines may stand so much out of the order of their times. */
const SLACK_MS = MINUTE;

export interface Loaded {
  /** In the order of their numbers. */
  events: JournalEvent[];
  /** What of the time is loaded; undefined before the first piece. */
  covered: Span | undefined;
  loading: boolean;
  /** There are more events in view than are loaded. */
  tooMany: boolean;
  error: AskError | undefined;
  retry(): void;
}

interface Store {
  events: Map<number, JournalEvent>;
  covered: Span | undefined;
}

/** The events in and around `view`. */
export function useTimeline(view: Span): Loaded {
  const { api, head, report, status } = useApp();
  const settled = useSettled(view, 200);
  const store = useRef<Store>({ events: new Map(), covered: undefined });
  /** The starts of held calls that were asked for. */
  const sought = useRef(new Set<string>());
  const [version, setVersion] = useState(0);
  const [loading, setLoading] = useState(true);
  const [tooMany, setTooMany] = useState(false);
  const [error, setError] = useState<AskError>();
  const [attempt, setAttempt] = useState(0);
  const changed = useCallback(() => setVersion((count) => count + 1), []);

  const load = useCallback(
    async (range: Span, signal: AbortSignal, onPiece: (reached: number) => boolean) => {
      let before: number | null = null;
      do {
        const piece: TimelinePiece = await api.ask(
          "timeline",
          { from: Math.floor(range.from), to: Math.ceil(range.to), limit: PIECE, ...(before === null ? {} : { before }) },
          signal,
        );
        if (signal.aborted) return;
        for (const event of piece.events) store.current.events.set(event.seq, event);
        before = piece.next;
        if (!onPiece(before === null ? range.from : Math.min(piece.reached, range.to))) return;
      } while (before !== null);
    },
    [api],
  );

  const working = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is a reason to load again
  useEffect(() => {
    const abort = new AbortController();
    const want = wanted(settled, Date.now());
    const { ranges, joins } = missing(store.current.covered, want);
    const work = async () => {
      if (!joins && store.current.covered !== undefined) {
        store.current = { events: new Map(), covered: undefined };
        sought.current.clear();
      }
      setLoading(ranges.some((range) => range.to - range.from > 5 * MINUTE));
      setTooMany(false);
      for (const range of ranges) {
        // What is new comes by another way.
        if (joins && range.to > Date.now() - MINUTE && Date.now() - range.from < 5 * MINUTE) continue;
        await load(range, abort.signal, (reached) => {
          const { covered, events } = store.current;
          const newer = covered !== undefined && range.from >= covered.to;
          // A newer stretch is read backwards: only when it is whole does it join.
          if (!newer) store.current.covered = { from: reached, to: covered?.to ?? range.to };
          else if (reached <= range.from) store.current.covered = { from: covered.from, to: range.to };
          const full = countIn(events, settled) > MOST_EVENTS;
          if (full) setTooMany(true);
          changed();
          return !full;
        });
      }
      if (abort.signal.aborted) return;
      setLoading(false);
      setError(undefined);
    };
    working.current = true;
    work()
      .catch((thrown) => {
        if (abort.signal.aborted) return;
        const failure = asAskError(thrown);
        report(failure);
        setError(failure);
        setLoading(false);
      })
      .finally(() => {
        if (!abort.signal.aborted) working.current = false;
      });
    return () => abort.abort();
  }, [settled, load, changed, report, attempt]);

  // What is new: the last minute over again, since lines may stand a little out of order.
  const latestView = useLatest(view);
  const refreshing = useRef<AbortController | undefined>(undefined);
  const refresh = useCallback(async () => {
    const { covered } = store.current;
    if (covered === undefined || refreshing.current !== undefined) return;
    // A view of the past is not in touch with now.
    if (Date.now() - covered.to > 10 * MINUTE) return;
    const abort = new AbortController();
    refreshing.current = abort;
    try {
      const to = Date.now();
      await load({ from: covered.to - SLACK_MS, to }, abort.signal, () => true);
      if (store.current.covered !== undefined) store.current.covered = { from: store.current.covered.from, to };
      if (prune(store.current, latestView.current)) sought.current.clear();
      changed();
    } catch (thrown) {
      if (!abort.signal.aborted) report(asAskError(thrown));
    } finally {
      refreshing.current = undefined;
    }
  }, [load, changed, report, latestView]);
  useOften(refresh, head, 1_000, 30_000);
  useEffect(() => () => refreshing.current?.abort(), []);

  // What is held may have begun long before the view: then its start is asked for on its own.
  const locks = status?.locks;
  useEffect(() => {
    const { covered } = store.current;
    if (locks === undefined || loading || covered === undefined) return;
    const abort = new AbortController();
    const early = new Set(
      locks.map((lock) => lock.since).filter((since) => msOf(since) < covered.from && !sought.current.has(since)),
    );
    const seek = async () => {
      for (const since of early) {
        await load({ from: msOf(since) - 1, to: msOf(since) + 1 }, abort.signal, () => true);
        sought.current.add(since);
      }
      if (early.size > 0) changed();
    };
    seek().catch((thrown) => {
      if (!abort.signal.aborted) report(asAskError(thrown));
    });
    return () => abort.abort();
  }, [locks, loading, load, changed, report]);

  // How open calls stand changes without a line in the journal: a lease lapses, a process dies.
  const reload = useCallback(() => {
    if (document.visibilityState !== "visible") return;
    store.current = { events: store.current.events, covered: undefined };
    setAttempt((count) => count + 1);
  }, []);
  useEffect(() => {
    const timer = setInterval(reload, 2 * MINUTE);
    return () => clearInterval(timer);
  }, [reload]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version tells that the store has changed
  const events = useMemo(() => [...store.current.events.values()].sort((one, other) => one.seq - other.seq), [version]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  useRetry(() => {
    if (error !== undefined && !working.current) retry();
  });
  return { events, covered: store.current.covered, loading, tooMany, error, retry };
}

/** Lets go of what lies far before the view, once there is much: a page may stay open for weeks. Says whether it did. */
function prune(store: Store, view: Span): boolean {
  if (store.covered === undefined || store.events.size < 2 * MOST_EVENTS) return false;
  const from = view.from - (view.to - view.from);
  for (const [seq, event] of store.events) if (msOf(event.at) < from) store.events.delete(seq);
  store.covered = { from: Math.max(from, store.covered.from), to: Math.max(from, store.covered.to) };
  return true;
}

function countIn(events: ReadonlyMap<number, JournalEvent>, span: Span): number {
  let count = 0;
  for (const event of events.values()) {
    const at = msOf(event.at);
    if (at >= span.from && at <= span.to) count += 1;
  }
  return count;
}
