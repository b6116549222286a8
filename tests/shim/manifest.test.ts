import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  required?: string[];
  additionalProperties?: boolean;
  properties?: Record<string, Schema>;
}
interface Manifest {
  version: string;
  activation: { onStartup: boolean };
  configSchema: Schema;
  configGroups: Array<{ properties: string[] }>;
  uiHints: Record<string, { label: string; help: string }>;
}

const manifest = JSON.parse(readFileSync(new URL("../../openclaw.plugin.json", import.meta.url), "utf8")) as Manifest;
const properties = manifest.configSchema.properties ?? {};
const SETTINGS = [
  ...[
    "durability",
    "heartbeatContext",
    "instanceId",
    "journalMaxAgeMs",
    "journalMaxBytes",
    "lockExpiryMs",
    "mode",
    "onStateError",
  ],
  ...["paramsSummaryChars", "recentWindowMs", "retryWindowMs", "stateDir", "tiersFile"],
];

test("the gateway loads the plugin at its start: otherwise nothing is gated and nobody notices", () => {
  assert.equal(manifest.activation.onStartup, true);
});

test("every setting is there, optional, with a hint and a section", () => {
  assert.deepEqual(Object.keys(properties).sort(), SETTINGS);
  assert.deepEqual(Object.keys(manifest.uiHints).sort(), SETTINGS);
  assert.deepEqual(manifest.configGroups.flatMap((group) => group.properties).sort(), SETTINGS);
  assert.equal(manifest.configSchema.required, undefined);
  assert.equal(manifest.configSchema.additionalProperties, false);
});

test("no value of a setting can keep the gateway from starting: the core names a wrong one and uses the default", () => {
  const every = ["array", "boolean", "integer", "null", "number", "object", "string"];
  for (const [name, schema] of Object.entries(properties)) {
    const widest = schema.anyOf?.at(-1)?.type;
    assert.deepEqual(Array.isArray(widest) ? [...widest].sort() : widest, every, name);
    assert.ok(schema.type === undefined && schema.enum === undefined, name);
  }
});

test("one version everywhere", () => {
  const cargo = readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8");
  const root = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  assert.equal(/^version = "(.+)"$/m.exec(cargo)?.[1], manifest.version);
  assert.equal(root.version, manifest.version);
});
