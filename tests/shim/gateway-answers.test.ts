// What the methods of a gateway answer, held against the schemas that `docs/reference/gateway-methods.md` is made of.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadGate, type NativeGate } from "../../plugin/src/native.runtime.ts";
import { offeredOn } from "../../plugin/src/offered.ts";
import { gatewayMethods } from "../../plugin/src/rpc/gateway-methods.ts";
import { Team } from "../../plugin/src/team/team.ts";
import type { Schema } from "../schema.ts";
import { bench } from "./fakes.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const { answers, $defs } = JSON.parse(readFileSync(join(ROOT, "plugin/answers.json"), "utf8")) as {
  answers: Record<string, Schema>;
  $defs: Record<string, Schema>;
};
const dir = mkdtempSync(join(tmpdir(), "callosum-answers-"));
after(() => rmSync(dir, { recursive: true, force: true }));

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** What of a value is not as its schema says; a field that the schema does not have is wrong, too. */
function wrong(value: unknown, schema: Schema | boolean, at: string): string[] {
  if (typeof schema === "boolean") return [];
  if (schema.$ref !== undefined) return wrong(value, $defs[schema.$ref.replace("#/$defs/", "")] ?? { enum: [] }, at);
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) {
    const all = either.map((one) => wrong(value, one, at));
    return all.find((none) => none.length === 0) ?? all.flat();
  }
  if ("const" in schema) return value === schema.const ? [] : [`${at} is not ${schema.const}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum}`];
  const type = typeOf(value);
  const types = [schema.type ?? type].flat();
  if (!types.includes(type) && !(type === "integer" && types.includes("number"))) return [`${at} is ${type}, not ${types}`];
  if (Array.isArray(value)) return value.flatMap((item, index) => wrong(item, schema.items ?? true, `${at}[${index}]`));
  if (type !== "object") return [];
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = value as Record<string, unknown>;
  return [
    ...required.filter((name) => !Object.hasOwn(fields, name)).map((name) => `${at}.${name} is missing`),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const known = properties[name] ?? additionalProperties;
      return known === undefined || known === false ? [`${at}.${name} is not told`] : wrong(field, known, `${at}.${name}`);
    }),
  ];
}

function gate(): NativeGate {
  const config = JSON.stringify({ stateDir: join(dir, "state") });
  const packagedTiers = join(ROOT, "tiers.json");
  const loaded = loadGate({ config, runtime: "openclaw", hostName: "host", hostStateDir: dir, packagedTiers });
  assert.ok(loaded.ok, loaded.ok ? "" : loaded.failure.cause);
  return loaded.gate;
}

test("every question's method answers as the reference says", async () => {
  const real = gate();
  const { owner } = bench({ loaded: { ok: true, gate: real } });
  const methods = gatewayMethods(owner, "1", () => dir, new Team(owner, { tools: [] }));
  await real.ask("rules", "{}");
  // Something is held, something was paused, and a tool is seen that no rule names.
  const mail = { command: "himalaya message send --to alice@example.com" };
  for (const [tool, session, call] of [
    ["exec", "one", "c1"],
    ["exec", "two", "c2"],
    ["frobnicate_send", "one", "c3"],
  ] as const) {
    const answer = real.before(tool, null, "main", session, "r", call, dir, mail);
    if (answer?.ticket !== undefined && answer.ticket !== null) await real.finish(answer.ticket);
  }
  const key = "email:alice@example.com";
  const params: Record<string, unknown> = { why: { key }, explain: { tool: "exec", params: mail }, release: { key } };
  for (const { name } of offeredOn("gateway")) {
    const method = methods.find((method) => method.name === `callosum.${name}`);
    const answer = await method?.answer({ params: params[name], client: null });
    assert.ok(answer?.ok, `${name}: ${JSON.stringify(answer)}`);
    assert.deepEqual(wrong(answer.payload, answers[name] ?? { enum: [] }, name), []);
    // What is shown is more than an empty list.
    assert.match(JSON.stringify(answer.payload), /email:alice@example\.com/, name);
  }
  await real.close();
});
