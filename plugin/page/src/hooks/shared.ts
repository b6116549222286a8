// Small pieces of state that several views need.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

/** The wall clock, every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** The newest `value`, for steps that begin later. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** A `value` that has not changed for `ms`. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Whether a media query holds. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** The inner size of an element, pixels; and what to hand it as its `ref`. */
export function useSize<E extends HTMLElement>(): [(element: E | null) => void, { width: number; height: number }] {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const watch = useRef<ResizeObserver | undefined>(undefined);
  const ref = useCallback((element: E | null) => {
    watch.current?.disconnect();
    if (element === null) return;
    setSize({ width: element.clientWidth, height: element.clientHeight });
    watch.current = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    watch.current.observe(element);
  }, []);
  return [ref, size];
}
