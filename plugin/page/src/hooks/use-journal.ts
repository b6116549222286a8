// The journal's records, newest first: older ones on demand, newer ones as they come.

import { useCallback, useEffect, useRef, useState } from "react";
import type { AskError } from "../api.ts";
import { knownAfter, type Loaded, MOST_RECORDS, newerThan, withNewer, withOlder } from "../model/records.ts";
import { type Filters, journalRequest } from "../model/url-state.ts";
import type { JournalRecord } from "../model/wire.ts";
import { useApp } from "./app.ts";
import { useLatest } from "./shared.ts";
import { asAskError, useOften, useRetry } from "./use-core.ts";

const PIECE = 200;

export interface Records {
  /** Newest first. */
  records: JournalRecord[];
  /** Newer ones that are not shown yet, newest first. */
  waiting: JournalRecord[];
  /** Shows those. */
  showWaiting(): void;
  /** There may be older ones. */
  more: boolean;
  loading: boolean;
  error: AskError | undefined;
  /** Loads older ones, or tries again. */
  loadMore(): void;
}

/** The asking for one set of filters. Older records and newer ones are asked for side by side, each once at a time. */
interface Run {
  abort: AbortController;
  older: boolean;
  newer: boolean;
  /** What is newer than this `seq` is not known yet. */
  known: number;
  loaded: Loaded;
}

const EMPTY: Loaded = { records: [], next: null, begun: false };

/** The records that `filters` want. `hold`: newer ones wait until they are called for. */
export function useJournal(filters: Filters, hold: boolean): Records {
  const { api, head, link, report } = useApp();
  const [loaded, setLoaded] = useState<Loaded>(EMPTY);
  const [waiting, setWaiting] = useState<JournalRecord[]>([]);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<AskError>();
  const latestHead = useLatest(head);
  const current = useRef<Run | undefined>(undefined);

  const loadMore = useCallback(async () => {
    const run = current.current;
    if (run === undefined || run.older) return;
    if (run.loaded.begun && run.loaded.next === null) return;
    run.older = true;
    setLoading(true);
    const { signal } = run.abort;
    try {
      // What is before the head is known after the first look. Where no news has told of it yet, it is asked for.
      const head = run.loaded.begun ? undefined : (latestHead.current ?? (await api.ask("head", {}, signal)).head);
      let found = 0;
      // A piece of work may find nothing: go on until something is there to show.
      do {
        const { next } = run.loaded;
        const request = {
          ...journalRequest(filters, Date.now()),
          limit: PIECE,
          budget: true,
          ...(next === null ? {} : { before: next }),
        };
        const piece = await api.ask("journal", request, signal);
        if (signal.aborted) return;
        run.loaded = withOlder(run.loaded, next, piece);
        run.known = knownAfter(run.known, head, run.loaded.records);
        found += piece.entries.length;
        if (found > 0) setLoaded(run.loaded);
      } while (run.loaded.next !== null && found < PIECE / 2 && run.loaded.records.length < MOST_RECORDS);
      setLoaded(run.loaded);
      setError(undefined);
      setLoading(false);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = asAskError(thrown);
      report(failure);
      setError(failure);
      setLoading(false);
    } finally {
      run.older = false;
    }
  }, [api, filters, report, latestHead]);

  const begin = useCallback(() => {
    current.current?.abort.abort();
    current.current = { abort: new AbortController(), older: false, newer: false, known: 0, loaded: EMPTY };
    setLoaded(EMPTY);
    setWaiting([]);
    setError(undefined);
    void loadMore();
  }, [loadMore]);
  useEffect(() => {
    begin();
    return () => current.current?.abort.abort();
  }, [begin]);

  const refresh = useCallback(async () => {
    const run = current.current;
    if (run === undefined || run.newer || !run.loaded.begun) return;
    run.newer = true;
    const head = latestHead.current;
    try {
      const newer = await newerThan(run.known, (request) =>
        api.ask("journal", { ...journalRequest(filters, Date.now()), ...request }, run.abort.signal),
      );
      if (run.abort.signal.aborted) return;
      // So much came that it does not reach what is known: joined to it, it would hide a gap.
      if (newer === undefined) return begin();
      run.known = knownAfter(run.known, head, newer);
      if (newer.length > 0) setWaiting((before) => newer.concat(before).slice(0, MOST_RECORDS));
    } catch (thrown) {
      // The next news tries again.
      if (!run.abort.signal.aborted) report(asAskError(thrown));
    } finally {
      run.newer = false;
    }
  }, [api, filters, report, begin, latestHead]);
  useOften(refresh, `${head} ${link}`, 1_000, 60_000);
  useRetry(() => {
    if (error !== undefined) void loadMore();
  });

  const showWaiting = useCallback(() => {
    const run = current.current;
    if (run === undefined || waiting.length === 0) return;
    run.loaded = withNewer(run.loaded, waiting);
    setLoaded(run.loaded);
    setWaiting([]);
  }, [waiting]);
  useEffect(() => {
    if (!hold) showWaiting();
  }, [hold, showWaiting]);

  const more = !loaded.begun || (loaded.next !== null && loaded.records.length < MOST_RECORDS);
  return { records: loaded.records, waiting, showWaiting, more, loading, error, loadMore };
}
