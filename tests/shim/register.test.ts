import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import plugin from "../../plugin/src/index.ts";
import { FakeLogger } from "./fakes.ts";

const manifest = JSON.parse(readFileSync(new URL("../../openclaw.plugin.json", import.meta.url), "utf8")) as {
  contracts: { tools: string[] };
  toolMetadata: Record<string, { optional?: boolean }>;
  cliCommands: unknown[];
};

type ToolOptions = { name?: string; names?: string[]; optional?: boolean };
type Handler = (request: unknown, response: unknown) => unknown;

/** An API of the host that only remembers; `runtime` throws, as it does in the modes that have none. */
function fakeApi(registrationMode: string, lifecycle: unknown, pluginConfig: unknown = {}) {
  const hooks = new Map<string, { handler: unknown; priority: number | undefined }>();
  const methods = new Map<string, { scope: string | undefined }>();
  const commands: Array<{ name: string; requireAuth?: boolean; requiredScopes?: string[] }> = [];
  const tools: string[] = [];
  const optionals: string[] = [];
  const prompts: unknown[] = [];
  const programs: Array<{ name: string; description: string }> = [];
  const disposers: Array<() => Promise<void>> = [];
  const routes: Array<{ path: string; match?: string; auth: string; handler: Handler }> = [];
  const tabs: Array<{ id: string; path: string; requiredScopes: string[] }> = [];
  const api = {
    id: "callosum",
    registrationMode,
    version: "1.2.3",
    pluginConfig,
    logger: new FakeLogger(),
    lifecycle: lifecycle === "managed" ? { onDispose: (dispose: () => Promise<void>) => disposers.push(dispose) } : lifecycle,
    get runtime(): never {
      throw new Error(`no runtime in mode ${registrationMode}`);
    },
    on(name: string, handler: unknown, options?: { priority?: number }) {
      assert.ok(!hooks.has(name), `${name} is registered twice`);
      hooks.set(name, { handler, priority: options?.priority });
    },
    registerGatewayMethod(name: string, _handler: unknown, options?: { scope?: string }) {
      methods.set(name, { scope: options?.scope });
    },
    registerCommand: (command: { name: string }) => void commands.push(command),
    registerTool: (_tool: unknown, { name, names = [], optional }: ToolOptions) => {
      tools.push(...(name === undefined ? names : [name]));
      if (optional) optionals.push(...names);
    },
    registerMemoryPromptPreparation: (prepare: unknown) => void prompts.push(prepare),
    registerHttpRoute: (route: (typeof routes)[number]) => void routes.push(route),
    session: { controls: { registerControlUiDescriptor: (tab: (typeof tabs)[number]) => void tabs.push(tab) } },
    registerCli: (_registrar: unknown, options: { descriptors: typeof programs }) => void programs.push(...options.descriptors),
  };
  const all = { hooks, methods, commands, tools, optionals, prompts, programs, disposers, routes, tabs };
  return { api: api as unknown as OpenClawPluginApi, ...all };
}

for (const mode of ["full", "discovery", "tool-discovery", "cli-metadata", "setup-only", "setup-runtime"]) {
  test(`in mode ${mode} everything is registered, unbound, and the runtime is not touched`, () => {
    const { api, hooks, methods, commands, tools, optionals, prompts, programs, disposers, routes, tabs } = fakeApi(
      mode,
      "managed",
      { sharedContextEnabled: true, teamTools: true },
    );
    const { register } = plugin;
    assert.equal(register(api), undefined);
    assert.deepEqual([...hooks.keys()].sort(), [
      "after_tool_call",
      "before_tool_call",
      "gateway_start",
      "gateway_stop",
      "heartbeat_prompt_contribution",
      "model_call_started",
      "tool_result_persist",
    ]);
    assert.equal(hooks.get("before_tool_call")?.priority, -1000);
    assert.deepEqual(
      [...methods],
      [
        ["callosum.status", { scope: "operator.read" }],
        ["callosum.journal", { scope: "operator.read" }],
        ["callosum.why", { scope: "operator.read" }],
        ["callosum.explain", { scope: "operator.read" }],
        ["callosum.release", { scope: "operator.write" }],
        ["callosum.tasks", { scope: "operator.read" }],
        ["callosum.task", { scope: "operator.read" }],
        ["callosum.send", { scope: "operator.write" }],
        ["callosum.inbox", { scope: "operator.write" }],
        ["callosum.events", { scope: "operator.read" }],
        ["callosum.routes", { scope: "operator.read" }],
      ],
    );
    const [command] = commands;
    assert.deepEqual([command?.name, command?.requireAuth, command?.requiredScopes], ["callosum", true, ["operator.read"]]);
    assert.deepEqual([...tools].sort(), [...manifest.contracts.tools].sort());
    const declared = Object.entries(manifest.toolMetadata).filter(([, { optional }]) => optional);
    assert.deepEqual(
      optionals,
      declared.map(([name]) => name),
    );
    assert.equal(prompts.length, 1);
    assert.deepEqual(
      programs.map(({ name, description }) => ({ name, description, hasSubcommands: true })),
      manifest.cliCommands,
    );
    assert.deepEqual(
      routes.map(({ path, match, auth }) => [path, match, auth]),
      [
        ...["/plugins/callosum/", "/plugins/callosum-leases/"].flatMap((base) => [
          [base, "exact", "gateway"],
          [`${base}api`, "prefix", "plugin"],
          [`${base}app.js`, "exact", "plugin"],
          [`${base}app.css`, "exact", "plugin"],
          [`${base}icon.svg`, "exact", "plugin"],
        ]),
        ["/plugins/callosum-gate", "prefix", "gateway"],
      ],
    );
    assert.deepEqual(
      tabs.map(({ path, requiredScopes }) => [path, requiredScopes]),
      [
        ["/plugins/callosum/", ["operator.read"]],
        ["/plugins/callosum-leases/", ["operator.write"]],
      ],
    );
    assert.equal(disposers.length, 1);
  });
}

test("heartbeats stay as they are where the operator wants that", () => {
  const { api, hooks } = fakeApi("full", "managed", { sessionContext: false });
  plugin.register(api);
  assert.ok(!hooks.has("heartbeat_prompt_contribution"));
  assert.ok(hooks.has("before_tool_call"));
});

for (const config of [{}, { sharedContextEnabled: false, teamTools: "yes" }]) {
  test(`nothing of the shared context and no tools for working together are there with ${JSON.stringify(config)}`, () => {
    const { api, hooks, tools, prompts } = fakeApi("full", "managed", config);
    plugin.register(api);
    assert.deepEqual([tools, prompts, hooks.has("gateway_start")], [["callosum_recent"], [], false]);
  });
}

test("prompts are added to by the hook that shows conversations only where the operator allows it", () => {
  for (const [hooks, isThere] of [
    [undefined, false],
    [{ allowConversationAccess: true }, true],
    [{ allowConversationAccess: true, allowPromptInjection: false }, false],
  ] as const) {
    const { api, hooks: registered } = fakeApi("full", "managed", { sharedContextEnabled: true });
    plugin.register(Object.assign(api, { id: "callosum", config: { plugins: { entries: { callosum: { hooks } } } } }));
    assert.equal(registered.has("before_prompt_build"), isThere, JSON.stringify(hooks));
  }
});

test("a host that prepares no prompts still gets the tools", () => {
  const { api, tools } = fakeApi("full", "managed", { sharedContextEnabled: true });
  plugin.register(Object.assign(api, { registerMemoryPromptPreparation: undefined }));
  assert.ok(tools.includes("shared_context_read"));
});

test("a host without managed instances gets its clean-up with the gateway's end", () => {
  const { api, hooks } = fakeApi("full", undefined);
  plugin.register(api);
  assert.ok(hooks.has("gateway_stop"));
});

test("a host without tabs still gets the routes", () => {
  const { api, routes } = fakeApi("full", "managed");
  plugin.register(Object.assign(api, { session: undefined }));
  assert.ok(routes.length > 0);
});

test("two registrations share nothing", async () => {
  const one = fakeApi("full", "managed");
  const two = fakeApi("discovery", "managed");
  plugin.register(one.api);
  plugin.register(two.api);
  await one.disposers[0]?.();
  assert.notEqual(one.hooks.get("before_tool_call")?.handler, two.hooks.get("before_tool_call")?.handler);
});
