// What a method takes: a JSON schema of an object, as the core's registry has one for each question. What does not fit is named.

import { isRecord } from "../host.ts";

/** As much of a JSON schema as there is in these. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Characters in a text of which the schema says nothing else. It must not be empty either. */
const MAX_TEXT = 1_024;

interface Kind {
  fits: (value: unknown, schema: Schema) => boolean;
  told: (schema: Schema) => string;
}

/** The types of values, by their names in a schema. */
const KINDS: Record<string, Kind> = {
  string: {
    fits: (value, { minLength = 1, maxLength = MAX_TEXT }) =>
      typeof value === "string" && value.length >= minLength && [...value].length <= maxLength,
    told: ({ maxLength }) => (maxLength === undefined ? "a text" : `a text of at most ${maxLength} characters`),
  },
  integer: {
    fits: (value, { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= minimum && value <= maximum,
    told: ({ minimum, maximum }) =>
      [
        "a whole number",
        ...(minimum === undefined ? [] : ["from", minimum]),
        ...(maximum === undefined ? [] : ["to", maximum]),
      ].join(" "),
  },
  boolean: { fits: (value) => typeof value === "boolean", told: () => "`true` or `false`" },
  array: {
    fits: (value, { items = {} }) => Array.isArray(value) && value.every((item) => fits(item, items)),
    told: ({ items = {} }) => `a list, each ${expected(items)}`,
  },
  object: { fits: isRecord, told: () => "an object" },
};

/** What a value must be, in words. Whoever says nothing may say `null`, which is not worth a word. */
export function expected(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((choice) => `\`${choice}\``).join(" or ");
  const kinds = typesOf(schema).flatMap((type) => KINDS[type] ?? []);
  const [example] = schema.examples ?? [];
  return `${kinds.map(({ told }) => told(schema)).join(" or ")}${example === undefined ? "" : ` such as \`${example}\``}`;
}

/** The parameter that is wrong, and what it must be. */
export function problemIn(params: unknown, { properties = {}, required = [] }: Schema): string | undefined {
  if (!isRecord(params)) return "the parameters must be an object";
  for (const [name, value] of Object.entries(params)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) {
      const names = Object.keys(properties);
      return `no parameter is called \`${name.slice(0, 64)}\`; ${names.length === 0 ? "there is none" : `there are ${names.join(", ")}`}`;
    }
    if (!fits(value, known)) return `\`${name}\` must be ${expected(known)}`;
  }
  const missing = required.find((name) => !Object.hasOwn(params, name));
  return missing === undefined ? undefined : `\`${missing}\` is missing: ${expected(properties[missing] ?? {})}`;
}

function fits(value: unknown, schema: Schema): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  return typesOf(schema).some((type) => (type === "null" ? value === null : KINDS[type]?.fits(value, schema)));
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === "string" ? [type] : type;
}
