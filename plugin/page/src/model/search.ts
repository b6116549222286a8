// What a text finds: resources, sessions, tasks and messages that have it, out of what the journal and the servers told.

import type { Message, Task } from "./together.ts";
import type { JournalRecord } from "./wire.ts";

export interface Found {
  /** Resources whose name has the text, the latest first. */
  keys: string[];
  /** Sessions whose name has it, the latest first. */
  sessions: string[];
  tasks: Task[];
  messages: Message[];
}

/** So many of each are shown. */
const MOST = 8;

/** What of `records` (newest first), `tasks` and `messages` has `text`, whatever its case. */
export function find(
  text: string,
  records: readonly JournalRecord[],
  tasks: readonly Task[],
  messages: readonly Message[],
): Found {
  const wanted = text.trim().toLowerCase();
  const has = (given: string | null | undefined) => given?.toLowerCase().includes(wanted) === true;
  const keys = new Set<string>();
  const sessions = new Set<string>();
  for (const record of records) {
    for (const key of record.contextKeys ?? [record.contextKey]) if (key !== undefined && has(key)) keys.add(key);
    if (record.session !== undefined && has(record.session)) sessions.add(record.session);
  }
  return {
    keys: [...keys].slice(0, MOST),
    sessions: [...sessions].slice(0, MOST),
    tasks: tasks.filter((task) => has(task.title) || has(task.id) || has(task.prompt)).slice(0, MOST),
    messages: messages.filter((message) => has(message.body) || has(message.id)).slice(0, MOST),
  };
}
