// What stretch of time the timeline shows, and how it is moved.

import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Span } from "../model/lanes.ts";
import { following, followsAfter, moved, zoomed } from "../model/spans.ts";
import { SECOND } from "../model/times.ts";
import { useLatest } from "./shared.ts";

export interface View {
  span: Span;
  /** It moves along with now. */
  follows: boolean;
  now: number;
  /** Shows another stretch, which may let go of now, or take it up again. */
  show(span: Span): void;
  follow(): void;
  zoomBy(factor: number): void;
  moveBy(share: number): void;
}

/** The view of a timeline `width` pixels wide; choosing a window of `windowMs` (`turn` counts the choices) shows that, up to now. */
export function useView(windowMs: number, turn: number, width: number): View {
  const [now, setNow] = useState(Date.now);
  const fresh = () => ({ windowMs, turn, follows: true, isMoved: false, span: following(windowMs, now) });
  const [state, setState] = useState(fresh);
  if (state.turn !== turn || (state.windowMs !== windowMs && !state.isMoved)) setState(fresh());
  // What the reader has moved stays there when the window grows.
  else if (state.windowMs !== windowMs) setState({ ...state, windowMs });
  const length = state.span.to - state.span.from;
  // As often as it shows, and at least every half minute.
  const tickMs = Math.min(30 * SECOND, Math.max(SECOND, length / Math.max(width, 100)));
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  const span = useMemo(() => (state.follows ? following(length, now) : state.span), [state, length, now]);
  const latest = useLatest({ span, follows: state.follows });
  const show = useCallback(
    (next: Span) => {
      const present = Date.now();
      const { span, follows } = latest.current;
      setNow(present);
      setState((before) => ({ ...before, isMoved: true, span: next, follows: followsAfter(span, follows, next, present) }));
    },
    [latest],
  );
  const follow = useCallback(() => {
    setNow(Date.now());
    setState((before) => ({ ...before, follows: true }));
  }, []);
  const zoomBy = useCallback(
    (factor: number) => {
      const { span, follows } = latest.current;
      show(zoomed(span, factor, follows ? Date.now() : (span.from + span.to) / 2));
    },
    [latest, show],
  );
  const moveBy = useCallback(
    (share: number) => {
      const { span } = latest.current;
      show(moved(span, share * (span.to - span.from)));
    },
    [latest, show],
  );
  return { span, follows: state.follows, now, show, follow, zoomBy, moveBy };
}

/** So far beyond each end of a view, in lengths of it, is drawn along with it. */
export const REACH = 0.25;

/** The stretch to draw for `span`: itself, or one that it has moved away from a little; what was drawn is then only pushed along. */
export function useDrawn(span: Span): Span {
  const [drawn, setDrawn] = useState(span);
  const length = span.to - span.from;
  const isNear = Math.abs(drawn.to - drawn.from - length) < 1 && Math.abs(drawn.from - span.from) <= REACH * length;
  if (isNear) return drawn;
  setDrawn(span);
  return span;
}

/** Dragging, pinching and the wheel on `element` move and zoom the view. A plain wheel scrolls, except on what is marked `data-wheel`. */
export function useGestures(element: HTMLElement | null, view: View): void {
  const latest = useLatest(view);
  useEffect(() => {
    if (element === null) return;
    let base = latest.current.span;
    const target = select<HTMLElement, unknown>(element);
    const behavior: ZoomBehavior<HTMLElement, unknown> = zoom<HTMLElement, unknown>()
      .scaleExtent([1e-6, 1e6])
      .wheelDelta(wheelStep)
      .filter((event: MouseEvent | WheelEvent | TouchEvent) => {
        if (event.type === "wheel")
          return event.ctrlKey || event.metaKey || (event.target as Element).closest("[data-wheel]") !== null;
        if (event.type === "dblclick") return false;
        // One finger scrolls the page up and down; what it moves sideways is below.
        if ("touches" in event) return event.touches.length > 1;
        return !("button" in event) || event.button === 0;
      })
      .on("start", () => {
        base = latest.current.span;
      })
      .on("zoom", (event: D3ZoomEvent<HTMLElement, unknown>) => {
        if (event.sourceEvent === null) return;
        const { x, k } = event.transform;
        const perPixel = (base.to - base.from) / element.clientWidth;
        const from = base.from + (-x / k) * perPixel;
        latest.current.show(zoomed({ from, to: from + (base.to - base.from) / k }, 1, from));
      })
      .on("end", (event: D3ZoomEvent<HTMLElement, unknown>) => {
        if (event.sourceEvent !== null) (element as HTMLElement & { __zoom: unknown }).__zoom = zoomIdentity;
      });
    target.call(behavior);
    const pan = (event: WheelEvent) => {
      const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey || Math.abs(across) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
      event.preventDefault();
      latest.current.moveBy(across / element.clientWidth);
    };
    element.addEventListener("wheel", pan, { passive: false });
    const endSwipes = followFinger(element, (pixels) => latest.current.moveBy(-pixels / element.clientWidth));
    return () => {
      target.on(".zoom", null);
      element.removeEventListener("wheel", pan);
      endSwipes();
    };
  }, [element, latest]);
}

/** Tells how far one finger has moved sideways on `element`, step by step; the browser takes it away when it moves up or down. */
function followFinger(element: HTMLElement, moved: (pixels: number) => void): () => void {
  const fingers = new Map<number, number>();
  const down = (event: PointerEvent) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, event.clientX);
  };
  const move = (event: PointerEvent) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size === 1) moved(event.clientX - before);
  };
  const up = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
  };
  const ends = ["pointerup", "pointercancel"] as const;
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  for (const end of ends) window.addEventListener(end, up);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    for (const end of ends) window.removeEventListener(end, up);
  };
}

/** Keys on `element`: plus and minus zoom, with Shift (or where no mark has them) the arrows move. */
export function useViewKeys(element: HTMLElement | null, view: View): void {
  const latest = useLatest(view);
  useEffect(() => {
    if (element === null) return;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // A mark's own arrow keys lead to other marks; React hears of them only after this.
      if (!event.shiftKey && event.key.startsWith("Arrow") && (event.target as Element).closest(".mark") !== null) return;
      if (!onKey(event.key, latest.current)) return;
      event.preventDefault();
    };
    element.addEventListener("keydown", press);
    return () => element.removeEventListener("keydown", press);
  }, [element, latest]);
}

/** Does what `key` stands for; false when that is nothing. */
function onKey(key: string, view: View): boolean {
  if (key === "+" || key === "=") view.zoomBy(0.5);
  else if (key === "-" || key === "_") view.zoomBy(2);
  else if (key === "ArrowLeft") view.moveBy(-0.2);
  else if (key === "ArrowRight") view.moveBy(0.2);
  else if (key === "n") view.follow();
  else return false;
  return true;
}

/** How far one turn of the wheel zooms. A trackpad's pinch comes as small turns with Ctrl held. */
function wheelStep(event: WheelEvent): number {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 0.05 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 1 : 0.002;
  const isPinch = event.ctrlKey && event.deltaMode === WheelEvent.DOM_DELTA_PIXEL && Math.abs(event.deltaY) < 30;
  return -event.deltaY * unit * (isPinch ? 8 : 1);
}
