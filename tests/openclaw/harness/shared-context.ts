// What agents do with the shared context in a gateway, and what a session is told of it.

import assert from "node:assert/strict";
import { listOf, textOf } from "./fake-model.ts";
import { via, type World } from "./world.ts";

/** An agent proposes a line for the priorities; returns the entry's id. */
export async function propose(world: World, text: string): Promise<string> {
  const [told = ""] = await world.play("proposer", via("shared_priorities_append", { text }));
  const id = /\\?"id\\?": ?\\?"([0-9a-f]{12})/.exec(told)?.[1];
  assert.ok(id, told);
  return id;
}
/** An agent runs the curator. */
export async function curate(world: World): Promise<void> {
  const [told = ""] = await world.play("curating", via("shared_context_curate_daily", {}));
  assert.match(told, /\\?"merged\\?": ?\d/, told);
}
/** What a new session's system prompt says of the shared context. */
export async function prompt(world: World): Promise<string> {
  const turn = world.begin(`prompt-${Math.random()}`, []);
  await turn.results();
  const [first] = world.model.turn(turn.name);
  const messages = listOf((JSON.parse(first?.body ?? "{}") as { messages?: unknown }).messages);
  return /\[Callosum\] Shared context\..*?End of the shared context\./s.exec(textOf(messages[0]?.content))?.[0] ?? "";
}
