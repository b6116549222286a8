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
  contracts: { tools: string[] };
  toolMetadata: Record<string, unknown>;
  skills: string[];
}

const at = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url));
const manifest = JSON.parse(at("openclaw.plugin.json").toString()) as Manifest;
const properties = manifest.configSchema.properties ?? {};
const SETTINGS = [
  ...["crossSignalsSemanticEnabled", "crossSignalsSemanticTimeoutMs"],
  ...["durability", "instanceId", "journalMaxAgeMs", "journalMaxBytes", "lockExpiryMs", "mode", "onStateError"],
  ...["paramsSummaryChars", "recentWindowMs", "retryWindowMs", "sessionContext"],
  ...["sharedContextDir", "sharedContextEnabled", "sharedContextMaxInjectChars", "sharedContextModel"],
  ...["sharedContextTamper", "sharedContextTimezone", "sharedContextTrustedAgents"],
  ...["sharedCrossSignalSemanticEnabled", "sharedCrossSignalSemanticMaxCandidates", "sharedCrossSignalSemanticTimeoutMs"],
  ...["stateDir", "summaries", "teamTools", "tiersFile"],
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

test("every tool has its metadata, and one that only reads is one for the shipped rules, too", () => {
  assert.deepEqual(Object.keys(manifest.toolMetadata), manifest.contracts.tools);
  // Those of the shared context have no rule: what no rule names is tier 0.
  const tools = manifest.contracts.tools.filter((tool) => !tool.startsWith("shared_"));
  const { rules } = JSON.parse(at("tiers.json").toString()) as {
    rules: Array<{ name: string; tier: number; tool: string | string[] }>;
  };
  const tierOf = (tool: string) => rules.find((rule) => [rule.tool].flat().includes(tool))?.tier;
  const writing = ["callosum_task_update", "callosum_send"];
  for (const tool of tools) assert.equal(tierOf(tool), writing.includes(tool) ? 2 : 0, tool);
});

test("the skill is there under its own name, for models only: as a slash command it would take the place of ours", () => {
  assert.deepEqual(manifest.skills, ["./skills"]);
  const text = at("skills/callosum/SKILL.md").toString();
  const [, head = ""] = /^---\n(.+?)\n---\n/s.exec(text) ?? [];
  assert.match(head, /^name: callosum$/m);
  assert.match(head, /^user-invocable: false$/m);
  const description = /^description: "(.+)"$/m.exec(head)?.[1] ?? "";
  assert.ok(description.length > 0 && description.length < 160, String(description.length));
  for (const tool of manifest.contracts.tools) assert.ok(text.includes(tool), tool);
});

test("the icons are what the host takes", () => {
  const png = at("assets/icon.png");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [512, 512]);
  const svg = at("assets/activity.svg").toString();
  assert.match(svg, /viewBox="0 0 24 24"/);
  assert.ok((svg.match(/<[a-z]/g) ?? []).length <= 4);
});

test("one version everywhere", () => {
  const cargo = at("Cargo.toml").toString();
  const root = JSON.parse(at("package.json").toString()) as { version: string };
  assert.equal(/^version = "(.+)"$/m.exec(cargo)?.[1], manifest.version);
  assert.equal(root.version, manifest.version);
});
