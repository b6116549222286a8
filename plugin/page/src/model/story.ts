// A story as it is told: calls with a number each, and below each what became of it.

import { type Action, actionsOf } from "./actions.ts";
import type { JournalEvent, Story } from "./wire.ts";

/** A call of a story. */
export interface Told {
  /** Counted from 1, oldest first. */
  number: number;
  action: Action;
  /** What became of it, oldest first. */
  sequels: JournalEvent[];
  /** The earlier calls it was shown, by their numbers. */
  shown: number[];
  /** How many more it was shown that are not in this story. */
  elsewhere: number;
  /** The later calls that were shown it, by their numbers. */
  shownTo: number[];
}

/** The calls of a story, oldest first. */
export function tell(story: Story): Told[] {
  const actions = actionsOf(story.events);
  const numbers = new Map(actions.map((action, place) => [action.seq, place + 1]));
  const told = actions.map((action, place): Told => {
    const asked = action.event.shown ?? [];
    const shown = asked.flatMap((seq) => numbers.get(seq) ?? []);
    const sequels = story.events.filter((event) => event.of?.includes(action.seq) === true);
    return { number: place + 1, action, sequels, shown, elsewhere: asked.length - shown.length, shownTo: [] };
  });
  for (const call of told) for (const number of call.shown) told[number - 1]?.shownTo.push(call.number);
  return told;
}
