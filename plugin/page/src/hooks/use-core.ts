// The journal's news, the status, and where the reader is.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Api, AskError, type Link } from "../api.ts";
import { type Place, readPlace, type TabId, writePlace } from "../model/url-state.ts";
import type { Status } from "../model/wire.ts";
import { useApp } from "./app.ts";
import { useLatest } from "./shared.ts";

/** As an `AskError`, whatever was thrown. */
export function asAskError(thrown: unknown): AskError {
  return thrown instanceof AskError ? thrown : new AskError("internal", String(thrown));
}

/** Follows the journal's head. */
export function useHead(api: Api): { head: number | undefined; link: Link } {
  const [head, setHead] = useState<number>();
  const [link, setLink] = useState<Link>("connecting");
  useEffect(() => api.follow(setHead, setLink), [api]);
  return { head, link };
}

/** Runs `step` when `trigger` changes, but not more often than every `restMs`; and every `atLeastMs`. */
export function useOften(step: () => void, trigger: unknown, restMs: number, atLeastMs: number): void {
  const latest = useLatest(step);
  // Another rest is no reason to run: a slow answer makes it longer, and would be asked for again at once.
  const rests = useLatest(restMs);
  const last = useRef(0);
  const waits = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const run = useCallback(() => {
    clearTimeout(waits.current);
    waits.current = undefined;
    last.current = Date.now();
    latest.current();
  }, [latest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trigger's change is the reason to run
  useEffect(() => {
    const rest = last.current + rests.current - Date.now();
    if (rest <= 0) run();
    else waits.current ??= setTimeout(run, rest);
  }, [trigger, rests, run]);
  useEffect(() => {
    const timer = setInterval(run, atLeastMs);
    return () => {
      clearInterval(timer);
      clearTimeout(waits.current);
      waits.current = undefined;
    };
  }, [run, atLeastMs]);
}

/** Runs `retry` with the next news, when the connection is back, and now and then: what has failed is to be tried again. */
export function useRetry(retry: () => void): void {
  const { head, link } = useApp();
  useOften(retry, `${head} ${link}`, 1_000, 10_000);
}

/** What `ask` answered last; `load` asks anew, unless it is being asked. */
export function useAnswer<T>(ask: () => Promise<T>, report: (error: AskError) => void) {
  const [answer, setAnswer] = useState<T>();
  const [error, setError] = useState<AskError>();
  const busy = useRef(false);
  const load = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      setAnswer(await ask());
      setError(undefined);
    } catch (thrown) {
      const failure = asAskError(thrown);
      report(failure);
      setError(failure);
    } finally {
      busy.current = false;
    }
  }, [ask, report]);
  return { answer, error, load };
}

/** The status, as fresh as the journal. */
export function useStatus(api: Api, head: number | undefined, report: (error: AskError) => void) {
  const ask = useCallback(() => api.ask("status", {}), [api]);
  const { answer: status, error, load: refresh } = useAnswer<Status>(ask, report);
  useOften(refresh, head, 1_000, 10_000);
  return { status, error, refresh };
}

/** Where the reader is, kept in the address. */
export function usePlace(first: TabId): [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState(() => readPlace(window.location.hash, first));
  useEffect(() => {
    const read = () => setPlace(readPlace(window.location.hash, first));
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [first]);
  const go = useCallback((change: Partial<Place>) => setPlace((before) => ({ ...before, ...change })), []);
  const written = useMemo(() => writePlace(place), [place]);
  useEffect(() => {
    if (window.location.hash === written) return;
    const timer = setTimeout(() => window.history.replaceState(null, "", written), 150);
    return () => clearTimeout(timer);
  }, [written]);
  return [place, go];
}
