// The shapes that the page reads, held against what the core's registry says of its answers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Schema } from "../../schema.ts";

/** A field of a shape. */
interface Field {
  name: string;
  isOptional: boolean;
  type: string;
}

const ROOT = new URL("../../..", import.meta.url).pathname;
const { $defs } = JSON.parse(readFileSync(join(ROOT, "plugin/answers.json"), "utf8")) as { $defs: Record<string, Schema> };
const WIRE = readFileSync(join(ROOT, "plugin/page/src/model/wire.ts"), "utf8").replaceAll(/\/\*\*.*?\*\/|\/\/[^\n]*/gs, "");

/** The page's names for what the core calls otherwise. */
const CORE: Record<string, string> = {
  JournalEvent: "TimelineEvent",
  TimelinePiece: "Timeline",
  TallyPiece: "Counts",
  Bucket: "BucketCount",
  JournalPiece: "JournalPage",
  Lease: "LeaseStatus",
  HookCounts: "CoverageStatus",
  Webhook: "WebhookStatus",
  Story: "StoryWithText",
  Limit: "RateLimit",
  LimitUsage: "LimitStatus",
  Rule: "ListedRule",
  RuleBook: "RulesInForce",
  Explained: "ExplainResponse",
  What: "EventKind",
};
/** A line of the journal is no answer of the registry: docs/format.md has its fields, and another test compares that. */
const NO_ANSWER = ["JournalRecord"];
/** Without its native part the plugin answers for the core, and says nearly nothing; the events of a story have no keys. */
const PARTIAL = ["Status", "Degraded", "JournalEvent"];

/** The fields between two braces. */
function fieldsIn(body: string): Field[] {
  const fields: Field[] = [];
  for (let rest = body; ; ) {
    const [head, name, optional] = /^[\s;]*(\w+)(\??): /.exec(rest) ?? [];
    if (head === undefined || name === undefined) return fields;
    let depth = 0;
    let end = head.length;
    for (; end < rest.length && !(rest[end] === ";" && depth === 0); end += 1) {
      if (rest[end] === "{") depth += 1;
      if (rest[end] === "}") depth -= 1;
    }
    fields.push({ name, isOptional: optional === "?", type: rest.slice(head.length, end).trim() });
    rest = rest.slice(end);
  }
}

/** The schema behind references, lists and alternatives with null. */
function core(schema: Schema): Schema {
  if (schema.$ref !== undefined) return core($defs[schema.$ref.replace("#/$defs/", "")] ?? {});
  const inner = schema.anyOf?.find(({ type }) => type !== "null") ?? schema.items ?? schema.additionalProperties;
  return typeof inner === "object" ? core(inner) : schema;
}

/** The words that a schema allows. */
const words = (schema: Schema) => [
  ...(schema.enum ?? []),
  ...(schema.oneOf ?? []).flatMap(({ const: word, enum: some }) => some ?? word),
];

/** What the page reads of an object and the core does not write, and what may be missing without the page knowing. */
function wrong(fields: Field[], schema: Schema, at: string, isPartial = false): string[] {
  return fields.flatMap(({ name, isOptional, type }) => {
    const field = schema.properties?.[name];
    if (field === undefined) return [`${at}.${name} is not in the answer`];
    const isMissing = !schema.required?.includes(name);
    const inner = core(field);
    const [, body] = /\{(.*)\}/s.exec(type) ?? [];
    const named = [...type.matchAll(/"([\w-]+)"/g)].map(([, word]) => word);
    const known = words(inner);
    return [
      ...(isMissing && !isOptional ? [`${at}.${name} may be missing`] : []),
      ...(!isMissing && isOptional && !isPartial ? [`${at}.${name} is always there`] : []),
      ...(body === undefined ? [] : wrong(fieldsIn(body), inner, `${at}.${name}`)),
      ...(known.length === 0
        ? []
        : named.filter((word) => !known.includes(word)).map((word) => `${at}.${name} is never ${word}`)),
      ...(named.length === 0
        ? []
        : known.filter((word) => !named.includes(`${word}`)).map((word) => `${at}.${name} may be ${word}`)),
    ];
  });
}

test("what the page reads is what the core answers", () => {
  let shapes = 0;
  const fields = new Map<string, Field[]>();
  for (const [, name = "", parent = "", body = ""] of WIRE.matchAll(/export interface (\w+)(?: extends (\w+))? \{\n(.*?)^\}/gms))
    fields.set(name, [...(fields.get(parent) ?? []), ...fieldsIn(body)]);
  const problems = [...fields].flatMap(([name, fields]) => {
    if (NO_ANSWER.includes(name)) return [];
    const schema = $defs[CORE[name] ?? name];
    if (schema === undefined) return [`${name} is in no answer`];
    shapes += 1;
    return wrong(fields, schema, name, PARTIAL.includes(name));
  });
  assert.deepEqual(problems, []);
  assert.ok(shapes > 12, String(shapes));
});

test("the page knows each word for what happened", () => {
  const [, list = ""] = /export type What =(.*?);/s.exec(WIRE) ?? [];
  const known = [...list.matchAll(/"(\w+)"/g)].map(([, word]) => word);
  assert.deepEqual(known.toSorted(), words($defs.EventKind ?? {}).toSorted());
});
