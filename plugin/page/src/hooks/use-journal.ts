// The journal's records, newest first: older ones on demand, newer ones as they come.

import { useCallback, useEffect, useRef, useState } from "react";
import type { AskError } from "../api.ts";
import { type Filters, journalRequest } from "../model/place.ts";
import type { JournalRecord } from "../model/wire.ts";
import { useApp } from "./app.ts";
import { useLatest } from "./basics.ts";
import { asAskError, useOften } from "./use-core.ts";

const PIECE = 200;
/** More records are not kept: filters lead further back. */
export const MOST_RECORDS = 50_000;

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

interface Loaded {
  records: JournalRecord[];
  next: number | null;
  begun: boolean;
}

/** The asking for one set of filters. Older records and newer ones are asked for side by side, each once at a time. */
interface Run {
  abort: AbortController;
  older: boolean;
  newer: boolean;
  /** The newest known record's `seq`. */
  newest: number;
  loaded: Loaded;
}

const EMPTY: Loaded = { records: [], next: null, begun: false };

/** The records that `filters` want. `hold`: newer ones wait until they are called for. */
export function useJournal(filters: Filters, hold: boolean): Records {
  const { api, head, report } = useApp();
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
    setError(undefined);
    const { signal } = run.abort;
    try {
      let { next } = run.loaded;
      let found: JournalRecord[] = [];
      // A piece of work may find nothing: go on until something is there to show.
      do {
        const request = {
          ...journalRequest(filters, Date.now()),
          limit: PIECE,
          budget: true,
          ...(next === null ? {} : { before: next }),
        };
        const piece = await api.ask("journal", request, signal);
        if (signal.aborted) return;
        found = found.concat(piece.entries.toReversed());
        next = piece.next;
        const first = found[0] ?? run.loaded.records[0];
        if (first !== undefined) run.newest = Math.max(run.newest, first.seq);
        if (found.length > 0 && found.length < PIECE / 2)
          setLoaded({ records: run.loaded.records.concat(found), next, begun: true });
      } while (next !== null && found.length < PIECE / 2);
      run.loaded = { records: run.loaded.records.concat(found), next, begun: true };
      setLoaded(run.loaded);
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
  }, [api, filters, report]);

  useEffect(() => {
    const abort = new AbortController();
    // Where nothing matches yet, not all of the journal is to be searched again for what is new.
    current.current = { abort, older: false, newer: false, newest: (latestHead.current ?? 0) - 1, loaded: EMPTY };
    setLoaded(EMPTY);
    setWaiting([]);
    void loadMore();
    return () => abort.abort();
  }, [loadMore, latestHead]);

  const refresh = useCallback(async () => {
    const run = current.current;
    if (run === undefined || run.newer || !run.loaded.begun) return;
    run.newer = true;
    try {
      const newer = await newerThan(Math.max(0, run.newest), (request) =>
        api.ask("journal", { ...journalRequest(filters, Date.now()), ...request }, run.abort.signal),
      );
      const newest = newer[0];
      if (run.abort.signal.aborted || newest === undefined) return;
      run.newest = newest.seq;
      setWaiting((before) => newer.concat(before));
    } catch (thrown) {
      // The next news tries again.
      if (!run.abort.signal.aborted) report(asAskError(thrown));
    } finally {
      run.newer = false;
    }
  }, [api, filters, report]);
  useOften(refresh, head, 1_000, 60_000);

  const showWaiting = useCallback(() => {
    const run = current.current;
    if (run === undefined || waiting.length === 0) return;
    run.loaded = { ...run.loaded, records: waiting.concat(run.loaded.records) };
    setLoaded(run.loaded);
    setWaiting([]);
  }, [waiting]);
  useEffect(() => {
    if (!hold) showWaiting();
  }, [hold, showWaiting]);

  const more = !loaded.begun || (loaded.next !== null && loaded.records.length < MOST_RECORDS);
  return { records: loaded.records, waiting, showWaiting, more, loading, error, loadMore };
}

type Ask = (request: Record<string, unknown>) => Promise<{ entries: JournalRecord[]; next: number | null }>;

/** All records after `seq`, newest first. */
async function newerThan(seq: number, ask: Ask): Promise<JournalRecord[]> {
  let found: JournalRecord[] = [];
  let before: number | null = null;
  do {
    const piece = await ask({ after: seq, limit: 1_000, budget: true, ...(before === null ? {} : { before }) });
    found = found.concat(piece.entries.toReversed());
    before = piece.next;
  } while (before !== null && found.length < MOST_RECORDS);
  return found;
}
