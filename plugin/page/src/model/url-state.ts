// Where the reader is: the tab, the filters, the window and the open story, kept in the address after `#`. The frame may not store anything.

import { WINDOWS, type WindowId } from "./times.ts";
import { GROUPS, type Group } from "./together.ts";

export const TABS = [
  ...(["timeline", "leases", "sessions", "tasks", "messages", "discoveries", "context"] as const),
  ...(["journal", "rules", "coverage"] as const),
];
export type TabId = (typeof TABS)[number];

/** What of the journal is wanted; empty means all. */
export interface Filters {
  text: string;
  key: string;
  session: string;
  tool: string;
  minTier: string;
  action: string;
  since: string;
}

/** What a story is about: the resources of an event, and the event. */
export interface Subject {
  keys: string[];
  seq?: number;
}

export interface Place {
  tab: TabId;
  window: WindowId;
  filters: Filters;
  /** By what sessions are put together. */
  group: Group;
  /** The story that lies over the page. */
  story: Subject | undefined;
}

export const NO_FILTERS: Filters = { text: "", key: "", session: "", tool: "", minTier: "", action: "", since: "" };
const FILTER_NAMES = Object.keys(NO_FILTERS) as (keyof Filters)[];
/** The core takes no longer ones. */
const MAX_VALUE = 1_024;
/** Resources of a story that an address has. */
const MAX_KEYS = 20;

/** Reads what stands after `#`; what is wrong in it is left out. */
export function readPlace(hash: string, tab: TabId): Place {
  const [, name = "", query = ""] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const given = new URLSearchParams(query);
  const value = (key: string) => (given.get(key) ?? "").slice(0, MAX_VALUE);
  const filters = { ...NO_FILTERS };
  for (const filter of FILTER_NAMES) filters[filter] = value(filter);
  if (!/^[0-4]?$/.test(filters.minTier)) filters.minTier = "";
  if (filters.since !== "" && !WINDOWS.some((window) => window.id === filters.since)) filters.since = "";
  return {
    tab: TABS.find((known) => known === name) ?? tab,
    window: WINDOWS.find((known) => known.id === value("window"))?.id ?? "fit",
    filters,
    group: GROUPS.find((known) => known === value("by")) ?? "",
    story: storyIn(given),
  };
}

function storyIn(given: URLSearchParams): Subject | undefined {
  if (!given.has("story")) return undefined;
  const keys = given.getAll("story").filter((key) => key !== "" && key.length <= MAX_VALUE);
  const seq = given.get("at") ?? "";
  return { keys: keys.slice(0, MAX_KEYS), ...(/^\d{1,15}$/.test(seq) ? { seq: Number(seq) } : {}) };
}

/** What to write after `#`. */
export function writePlace(place: Place): string {
  const query = new URLSearchParams();
  if (place.window !== "fit") query.set("window", place.window);
  for (const filter of FILTER_NAMES) if (place.filters[filter] !== "") query.set(filter, place.filters[filter]);
  if (place.group !== "") query.set("by", place.group);
  if (place.story !== undefined) {
    const [first = "", ...others] = place.story.keys.slice(0, MAX_KEYS);
    for (const key of [first, ...others]) query.append("story", key);
    if (place.story.seq !== undefined) query.set("at", String(place.story.seq));
  }
  const text = query.toString();
  return `#/${place.tab}${text === "" ? "" : `?${text}`}`;
}

/** The request that `filters` make of the question `journal`. */
export function journalRequest(filters: Filters, now: number): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const name of ["text", "key", "session", "tool", "action"] as const) {
    const value = filters[name].trim();
    if (value !== "") request[name] = value;
  }
  if (filters.minTier !== "") request.minTier = Number(filters.minTier);
  const since = WINDOWS.find((window) => window.id === filters.since);
  if (since !== undefined) request.since = now - since.ms;
  return request;
}

/** Whether anything is filtered. */
export function isFiltered(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => filters[name].trim() !== "");
}
