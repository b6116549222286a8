// A text looked for in the journal, as far back as a few pieces of work reach.

import { useEffect, useState } from "react";
import type { AskError } from "../api.ts";
import type { JournalRecord } from "../model/wire.ts";
import { useApp } from "./app.ts";
import { asAskError } from "./use-core.ts";

/** Records that are looked at at most, and pieces that are asked for. */
const MOST = 400;
const PIECES = 6;

export interface Searched {
  /** The newest records that have the text, newest first. */
  records: JournalRecord[];
  busy: boolean;
  error: AskError | undefined;
}

const NOTHING: Searched = { records: [], busy: false, error: undefined };

/** The records that have `text`; none for an empty one. */
export function useSearch(text: string): Searched {
  const { api, report } = useApp();
  const [found, setFound] = useState<Searched>(NOTHING);
  useEffect(() => {
    if (text.trim() === "") {
      setFound(NOTHING);
      return;
    }
    const abort = new AbortController();
    const look = async () => {
      let records: JournalRecord[] = [];
      let before: number | null = null;
      setFound({ records, busy: true, error: undefined });
      for (let piece = 0; piece < PIECES && records.length < MOST; piece += 1) {
        const request: Record<string, unknown> = { text: text.trim(), limit: 200, budget: true };
        if (before !== null) request.before = before;
        const { entries, next } = await api.ask("journal", request, abort.signal);
        if (abort.signal.aborted) return;
        records = records.concat(entries.toReversed());
        setFound({ records, busy: next !== null, error: undefined });
        before = next;
        if (next === null) break;
      }
      setFound({ records, busy: false, error: undefined });
    };
    look().catch((thrown) => {
      if (abort.signal.aborted) return;
      const error = asAskError(thrown);
      report(error);
      setFound({ records: [], busy: false, error });
    });
    return () => abort.abort();
  }, [api, text, report]);
  return found;
}
