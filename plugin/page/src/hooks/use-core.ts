// The journal's news, the status, and where the reader is.

import { useCallback, useEffect, useRef, useState } from "react";
import { type Api, AskError, type Link } from "../api.ts";
import { DAY, fitMs, SECOND, type WindowId, windowMs } from "../model/times.ts";
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

/** What the history's entries of an opened story have: the step back closes it. */
const OPENED = { callosum: "story" };

/**
 * Where the reader is, kept in the address. Another tab and an opened story are steps of the history; what else changes is not. The last of the
 * three closes the story, by the step back where it was opened by one.
 */
export function usePlace(first: TabId): [Place, (change: Partial<Place>) => void, () => void] {
  const [place, setPlace] = useState(() => readPlace(window.location.hash, first));
  const latest = useRef(place);
  const waits = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const write = useCallback(() => {
    clearTimeout(waits.current);
    waits.current = undefined;
    const written = writePlace(latest.current);
    if (window.location.hash !== written) window.history.replaceState(window.history.state, "", written);
  }, []);
  useEffect(() => {
    const read = () => {
      clearTimeout(waits.current);
      waits.current = undefined;
      latest.current = readPlace(window.location.hash, first);
      setPlace(latest.current);
    };
    // A step of the history tells both, and an address that somebody typed only the second.
    window.addEventListener("popstate", read);
    window.addEventListener("hashchange", read);
    return () => {
      window.removeEventListener("popstate", read);
      window.removeEventListener("hashchange", read);
      clearTimeout(waits.current);
    };
  }, [first]);
  const go = useCallback(
    (change: Partial<Place>) => {
      const before = latest.current;
      const next = { ...before, ...change };
      const opens = next.story !== undefined && before.story === undefined;
      if (opens || next.tab !== before.tab) {
        write();
        window.history.pushState(opens ? OPENED : null, "", writePlace(next));
      } else waits.current ??= setTimeout(write, 150);
      latest.current = next;
      setPlace(next);
    },
    [write],
  );
  const closeStory = useCallback(() => {
    if ((window.history.state as typeof OPENED | null)?.callosum === OPENED.callosum) window.history.back();
    else go({ story: undefined });
  }, [go]);
  return [place, go, closeStory];
}

/** The length of the window that is chosen, milliseconds; undefined until it is known what would fit. `turn` counts the choices. */
export function useWindowMs(chosen: WindowId, turn: number): number | undefined {
  const { api, status } = useApp();
  const lines = status?.journal?.lines;
  const oldest = status?.journal?.oldest;
  const isKnown = status !== undefined;
  const [fit, setFit] = useState<number>();
  const latestOldest = useLatest(oldest);
  const isEmpty = lines === undefined || lines === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is a reason to fit it anew
  useEffect(() => {
    if (chosen !== "fit" || !isKnown) return;
    const abort = new AbortController();
    const fitTo = (newest: number) => {
      if (!abort.signal.aborted) setFit(fitMs(Date.parse(latestOldest.current ?? ""), newest, Date.now()));
    };
    if (isEmpty) fitTo(Number.NaN);
    else
      api
        .ask("journal", { limit: 1, budget: true }, abort.signal)
        .then(({ entries }) => fitTo(Date.parse(entries[0]?.timestamp ?? "")))
        .catch(() => fitTo(Date.now()));
    return () => abort.abort();
  }, [api, chosen, turn, isKnown, isEmpty, latestOldest]);
  // A young journal grows out of what it was fitted to.
  useEffect(() => {
    if (chosen !== "fit" || fit === undefined) return;
    const timer = setInterval(() => {
      const age = Date.now() - Date.parse(latestOldest.current ?? "");
      if (age > 0.97 * fit && age < DAY) setFit(fitMs(Date.now() - age, Date.now(), Date.now()));
    }, 5 * SECOND);
    return () => clearInterval(timer);
  }, [chosen, fit, latestOldest]);
  return chosen === "fit" ? fit : windowMs(chosen);
}
