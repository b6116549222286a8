// Counts of all calls over a stretch of time. What is past is asked for once; what still grows, as often as the journal does.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AskError } from "../api.ts";
import type { Span } from "../model/lanes.ts";
import { sum, type Tally } from "../model/tally.ts";
import { useApp } from "./app.ts";
import { asAskError, useOften } from "./use-core.ts";

const NOTHING: Tally = { buckets: [], rules: [] };

export interface Counted {
  tally: Tally;
  /** False until the whole stretch was counted once. */
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
  const [past, setPast] = useState<{ tally: Tally; to: number; bucketMs: number; complete: boolean }>();
  const [tail, setTail] = useState<Tally>(NOTHING);
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is a reason to count again
  useEffect(() => {
    const abort = new AbortController();
    const work = async () => {
      // Both ends are inclusive in the journal's filter: the tail begins where this ends.
      const tally =
        to > from
          ? await count({ from, to: to - 1 }, bucketMs, abort.signal, (tally) =>
              setPast({ tally, to, bucketMs, complete: false }),
            )
          : NOTHING;
      // Both at once: without its tail a count would fall to less than what was shown before.
      return { tally, tail: isLive ? await count({ from: to, to: Date.now() }, bucketMs, abort.signal) : NOTHING };
    };
    work()
      .then(({ tally, tail }) => {
        if (abort.signal.aborted) return;
        setPast({ tally, to, bucketMs, complete: true });
        setTail(tail);
        setError(undefined);
      })
      .catch((thrown) => {
        if (abort.signal.aborted) return;
        const failure = asAskError(thrown);
        report(failure);
        setError(failure);
      });
    return () => abort.abort();
  }, [from, to, isLive, bucketMs, count, report, attempt]);

  const busy = useRef<AbortController | undefined>(undefined);
  const refresh = useCallback(async () => {
    if (!isLive || past === undefined || !past.complete || past.bucketMs !== bucketMs || busy.current !== undefined) return;
    const abort = new AbortController();
    busy.current = abort;
    try {
      const counted = await count({ from: past.to, to: Date.now() }, bucketMs, abort.signal);
      if (!abort.signal.aborted) setTail(counted);
    } catch (thrown) {
      if (!abort.signal.aborted) report(asAskError(thrown));
    } finally {
      busy.current = undefined;
    }
  }, [isLive, past, bucketMs, count, report]);
  useOften(refresh, `${head} ${past?.to} ${past?.complete} ${bucketMs}`, 1_500, 60_000);
  useEffect(() => () => busy.current?.abort(), []);

  const tally = useMemo(() => (past === undefined ? NOTHING : sum([past.tally, tail])), [past, tail]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  return { tally, complete: past?.complete === true, error, retry };
}
