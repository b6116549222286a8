// Counts of all calls over a stretch of time. What is past is asked for once; what still grows, as often as the journal does.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AskError } from "../api.ts";
import type { Span } from "../model/lanes.ts";
import { type Counts, isCounted, type Stretch, sum, type Tally } from "../model/tally.ts";
import { useApp } from "./app.ts";
import { asAskError, useOften, useRetry } from "./use-core.ts";

const NOTHING: Tally = { buckets: [], rules: [] };

export interface Counted {
  tally: Tally;
  /** False while only a part of the stretch is counted, or another one. */
  complete: boolean;
  error: AskError | undefined;
  retry(): void;
}

/** Counts over `span` in buckets of `bucketMs`. */
export function useTally(span: Span, bucketMs: number): Counted {
  const { api, head, report } = useApp();
  const from = Math.floor(span.from / bucketMs) * bucketMs;
  const isLive = span.to >= Date.now() - bucketMs;
  const cutAt = Math.floor(Math.min(span.to, Date.now()) / bucketMs) * bucketMs;
  const to = isLive ? cutAt : Math.ceil(span.to / bucketMs) * bucketMs;
  const [counts, setCounts] = useState<Counts>();
  const complete = isCounted(counts, { from, to, bucketMs, isLive });
  const [error, setError] = useState<AskError>();
  const [attempt, setAttempt] = useState(0);

  const count = useCallback(
    async (range: Span, bucket: number, signal: AbortSignal, onPiece?: (tally: Tally) => void): Promise<Tally> => {
      let total = NOTHING;
      let before: number | null = null;
      do {
        const request: Record<string, unknown> = { from: range.from, to: range.to, bucketMs: bucket };
        if (before !== null) request.before = before;
        const piece = await api.ask("tally", request, signal);
        total = sum([total, piece]);
        before = piece.next;
        if (before !== null) onPiece?.(total);
      } while (before !== null && !signal.aborted);
      return total;
    },
    [api],
  );

  const working = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is a reason to count again
  useEffect(() => {
    const abort = new AbortController();
    const wanted: Stretch = { from, to, bucketMs, isLive };
    const show = (part: Tally) =>
      setCounts((before) => (isCounted(before, wanted) ? before : { ...wanted, past: part, tail: NOTHING, whole: false }));
    const work = async (): Promise<Counts> => {
      // Both ends are inclusive in the journal's filter: the tail begins where this ends.
      const past = to > from ? await count({ from, to: to - 1 }, bucketMs, abort.signal, show) : NOTHING;
      // Both at once: without its tail a count would fall to less than what was shown before.
      const tail = isLive ? await count({ from: to, to: Date.now() }, bucketMs, abort.signal) : NOTHING;
      return { ...wanted, past, tail, whole: true };
    };
    working.current = true;
    work()
      .then((counted) => {
        if (abort.signal.aborted) return;
        setCounts(counted);
        setError(undefined);
      })
      .catch((thrown) => {
        if (abort.signal.aborted) return;
        const failure = asAskError(thrown);
        report(failure);
        setError(failure);
      })
      .finally(() => {
        if (!abort.signal.aborted) working.current = false;
      });
    return () => abort.abort();
  }, [from, to, isLive, bucketMs, count, report, attempt]);

  const busy = useRef<AbortController | undefined>(undefined);
  const refresh = useCallback(async () => {
    if (!isLive || counts === undefined || !complete || busy.current !== undefined) return;
    const abort = new AbortController();
    busy.current = abort;
    try {
      const tail = await count({ from: counts.to, to: Date.now() }, bucketMs, abort.signal);
      // Other counts that came meanwhile have a tail of their own.
      if (!abort.signal.aborted) setCounts((before) => (before === counts ? { ...counts, tail } : before));
    } catch (thrown) {
      if (!abort.signal.aborted) report(asAskError(thrown));
    } finally {
      busy.current = undefined;
    }
  }, [isLive, counts, complete, bucketMs, count, report]);
  useOften(refresh, `${head} ${counts?.to} ${complete} ${bucketMs}`, 1_500, 60_000);
  useEffect(() => () => busy.current?.abort(), []);

  const tally = useMemo(() => (counts === undefined ? NOTHING : sum([counts.past, counts.tail])), [counts]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  useRetry(() => {
    if (error !== undefined && !working.current) retry();
  });
  return { tally, complete, error, retry };
}
