// Times and lengths of time for readers.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The windows that can be chosen. */
export const WINDOWS = [
  { id: "1h", ms: HOUR, label: "1 hour", short: "1 h" },
  { id: "6h", ms: 6 * HOUR, label: "6 hours", short: "6 h" },
  { id: "24h", ms: DAY, label: "24 hours", short: "24 h" },
  { id: "7d", ms: 7 * DAY, label: "7 days", short: "7 d" },
  { id: "30d", ms: 30 * DAY, label: "30 days", short: "30 d" },
] as const;

/** `fit`: as long as there is something to show, of a day at the most. */
export type WindowId = (typeof WINDOWS)[number]["id"] | "fit";

/** The length of a window, milliseconds; of one that fits, the most that it may be where nothing is known. */
export function windowMs(id: WindowId): number {
  return WINDOWS.find((known) => known.id === id)?.ms ?? DAY;
}

/** The length of a window in words. */
export function windowLabel(id: WindowId): string {
  return WINDOWS.find((known) => known.id === id)?.label ?? "24 hours";
}

/** How long a stretch up to `now` is that fits what there is: from the oldest record on, of a day before the newest at the most. */
export function fitMs(oldest: number, newest: number, now: number): number {
  const from = Math.max(oldest, newest - DAY);
  const length = Number.isFinite(from) ? 1.1 * (now - from) : HOUR;
  return Math.min(30 * DAY, Math.max(5 * MINUTE, length));
}

/** Milliseconds of an RFC 3339 time; `NaN` when it is none. */
export function msOf(at: string): number {
  return Date.parse(at);
}

/** A length of time in at most two units: `2 h 5 min`, `40 s`, `350 ms`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "unknown";
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND) return `${whole} ms`;
  if (whole < 10 * SECOND) return `${(Math.floor(whole / 100) / 10).toString()} s`;
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)} s`;
  if (whole < HOUR) return twoUnits(whole, MINUTE, "min", SECOND, "s");
  if (whole < DAY) return twoUnits(whole, HOUR, "h", MINUTE, "min");
  return twoUnits(whole, DAY, "d", HOUR, "h");
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}

/** How long ago, in one unit: `just now`, `5 min ago`, `3 d ago`. */
export function ago(ms: number): string {
  if (ms < 5 * SECOND) return "just now";
  for (const [unit, name] of [
    [DAY, "d"],
    [HOUR, "h"],
    [MINUTE, "min"],
    [SECOND, "s"],
  ] as const)
    if (ms >= unit) return `${Math.floor(ms / unit)} ${name} ago`;
  return "just now";
}

/** A countdown: `4:59`, `1:02:03`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  const two = (value: number) => value.toString().padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const SHORT_CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DATE = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The time of day with seconds. */
export const clock = (ms: number): string => formatted(CLOCK, ms);
/** The time of day without seconds. */
export const shortClock = (ms: number): string => formatted(SHORT_CLOCK, ms);
/** The day. */
export const date = (ms: number): string => formatted(DATE, ms);
/** Day and time of day. */
export const dateAndClock = (ms: number): string => formatted(FULL, ms);

/** The time of day, after the day where it is another than that of `now`. */
export function moment(ms: number, now: number): string {
  return sameDay(ms, now) ? clock(ms) : `${date(ms)}, ${shortClock(ms)}`;
}

/** Whether two times lie on one day of the reader. */
export function sameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** RFC 3339 in UTC; empty for what is no time. */
export function rfc3339(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : "";
}

function formatted(format: Intl.DateTimeFormat, ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? format.format(ms) : "no time";
}
