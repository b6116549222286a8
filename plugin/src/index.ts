// The OpenClaw plugin. The host registers it several times in one process, in several modes, and sends the tool hooks to another instance than
// the gateway methods: so every mode registers everything, nothing is opened before the first call, and instances share nothing but the journal,
// and the knowledge which of them the hooks go to.

import { existsSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import { chatCommand } from "./chat/chat-command.ts";
import { RECENT_TOOL, recentTool } from "./chat/recent-tool.ts";
import { configText, isClosedOnError, wantsSessionContext, wantsSharedContext, wantsTeamTools } from "./config.ts";
import { GateOwner } from "./gate-owner.ts";
import { afterToolCall, modelCallStarted, toolResultPersisted } from "./hooks/after-tool-call.ts";
import { beforeToolCall, type WorkspaceOf } from "./hooks/before-tool-call.ts";
import { heartbeatContext } from "./hooks/heartbeat.ts";
import { registerEndpoints } from "./http/endpoints.ts";
import { Turns } from "./http/turns.ts";
import { type Loaded, loadGate, ownRulesFile } from "./native.runtime.ts";
import { PageRoutes } from "./page/routes.ts";
import { registerCommandLine } from "./rpc/command-line.ts";
import { gatewayMethods, type MethodAnswer } from "./rpc/gateway-methods.ts";
import { SharedContext } from "./shared-context/shared-context.ts";
import { SHARED_CONTEXT_TOOLS, sharedContextTools } from "./shared-context/tools.ts";
import { Team } from "./team/team.ts";
import { TEAM_TOOLS, teamTools } from "./team/tools.ts";

/** Last of all vetoes: a gate that takes a lease must not hold one for a call that somebody else refuses. */
const AFTER_OTHER_VETOES = -1000;
/** How long an agent's workspace folder is taken as known; asking the host costs more than the whole decision. */
const WORKSPACE_MS = 5_000;

type Respond = (ok: boolean, payload?: unknown, error?: { code: string; message: string }) => void;

/** Registers everything. Reads nothing of the runtime: in some modes even touching it throws. */
function register(api: OpenClawPluginApi): void {
  const owner = new GateOwner({
    load: () => load(api),
    logger: api.logger,
    closed: isClosedOnError(api.pluginConfig),
  });
  const workspaceOf = rememberingWorkspaces(api);

  api.on("before_tool_call", (event, ctx) => beforeToolCall(owner, workspaceOf, event, ctx), { priority: AFTER_OTHER_VETOES });
  api.on("after_tool_call", (event, ctx) => afterToolCall(owner, event, ctx));
  api.on("tool_result_persist", (event, ctx) => toolResultPersisted(owner, event, ctx));
  api.on("model_call_started", (event) => modelCallStarted(owner, event));

  if (wantsSessionContext(api.pluginConfig))
    api.on("heartbeat_prompt_contribution", (_event, ctx) => heartbeatContext(owner, ctx.sessionKey));

  const team = registerTeam(api, owner);
  const shared = registerSharedContext(api, owner);
  const looking = [
    ...(wantsSharedContext(api.pluginConfig) ? [shared] : []),
    ...(wantsTeamTools(api.pluginConfig) ? [team] : []),
  ];
  // The first prompt's tools are assembled before anything else is asked.
  if (looking.length > 0) api.on("gateway_start", () => looking.forEach((one) => void one.look()));
  registerMethods(api, owner, workspaceOf, team);
  api.registerCommand({
    name: "callosum",
    description: "What all sessions on this machine did recently: status, or why KEY; their tasks",
    acceptsArgs: true,
    requireAuth: true,
    // In a chat only an owner has it: the answer tells what was done in everybody's sessions.
    requiredScopes: ["operator.read"],
    handler: (ctx) => chatCommand(owner, shared, team, ctx.args, ctx),
  });
  api.registerTool(({ sessionKey }) => recentTool(owner, sessionKey), { name: RECENT_TOOL });
  registerCommandLine(api);
  const turns = new Turns();
  const page = new PageRoutes(api, owner, turns, workspaceOf);
  page.register();
  registerEndpoints(api, owner, turns);

  const dispose = () => {
    page.end();
    return owner.dispose();
  };
  if (api.lifecycle?.onDispose === undefined) {
    // Older hosts have no managed instances; there the end of the gateway is the end of this one.
    api.on("gateway_stop", dispose);
  } else {
    api.lifecycle.onDispose(dispose);
    // That comes too late: the host waits a second for open streams before it cuts them off.
    api.on("gateway_stop", () => page.end());
  }
}

/** The shared context's tools, and what prompts say of it: nothing, and nothing is asked, until the operator switches it on. */
function registerSharedContext(api: OpenClawPluginApi, owner: GateOwner): SharedContext {
  const isWanted = wantsSharedContext(api.pluginConfig);
  const shared = new SharedContext(owner, isWanted, undefined, (prompt, signal) => askHost(api, prompt, signal));
  if (!isWanted) return shared;
  api.registerTool((ctx) => sharedContextTools(shared, ctx, api.config), { names: SHARED_CONTEXT_TOOLS, optional: true });
  // An older host has no such prompts.
  api.registerMemoryPromptPreparation?.(({ agentSessionKey }) => shared.promptLines(agentSessionKey));
  if (mayAddToPrompts(api)) {
    // Isolated automations get no prepared prompts. This hook shows whole conversations, so it is there only where the operator allows it.
    api.on("before_prompt_build", async (_event, { sessionKey }) => {
      if (!sessionKey?.includes(":cron:")) return undefined;
      const lines = await shared.promptLines(sessionKey);
      return lines.length === 0 ? undefined : { appendSystemContext: lines.join("\n") };
    });
  }
  return shared;
}

/** Asks the host's model, with the host's own settings for it. */
async function askHost(api: OpenClawPluginApi, prompt: string, signal: AbortSignal): Promise<string> {
  const messages = [{ role: "user" as const, content: prompt }];
  const { text } = await api.runtime.llm.complete({ messages, signal, temperature: 0, purpose: "callosum.cross-signals" });
  return text;
}

/** Whether the operator lets this plugin see conversations and add to prompts. Where they don't, the host complains about such a hook. */
function mayAddToPrompts(api: OpenClawPluginApi): boolean {
  const hooks = api.config?.plugins?.entries?.[api.id]?.hooks;
  return hooks?.allowConversationAccess === true && hooks.allowPromptInjection !== false;
}

/** The tools for working together: nothing of them is there until the operator's settings say so. */
function registerTeam(api: OpenClawPluginApi, owner: GateOwner): Team {
  const team = new Team(owner);
  if (!wantsTeamTools(api.pluginConfig)) return team;
  api.registerTool((ctx) => teamTools(team, ctx), { names: TEAM_TOOLS, optional: true });
  return team;
}

function registerMethods(api: OpenClawPluginApi, owner: GateOwner, workspaceOf: WorkspaceOf, team: Team): void {
  for (const method of gatewayMethods(owner, api.version ?? "unknown", workspaceOf, team))
    api.registerGatewayMethod(
      method.name,
      async ({ params, client, respond }) => answer(respond, await method.answer({ params, client })),
      { scope: method.scope },
    );
}

function answer(respond: Respond, result: MethodAnswer): void {
  if (result.ok) respond(true, result.payload);
  else respond(false, undefined, result.error);
}

function load(api: OpenClawPluginApi): Loaded {
  const { text, problem } = configText(api.pluginConfig);
  if (problem !== undefined) api.logger.error(`callosum: ${problem}`);
  const packagedTiers = rulesFile(api.rootDir);
  return loadGate({
    config: text,
    runtime: "openclaw",
    hostName: hostname(),
    hostStateDir: hostStateDir(api),
    ...(packagedTiers !== undefined && { packagedTiers }),
  });
}

/** The file where the operator sees and edits it; the copy that the plugin runs from only when that is gone. */
function rulesFile(rootDir: string | undefined): string | undefined {
  const installed = rootDir === undefined ? undefined : join(rootDir, "tiers.json");
  return installed !== undefined && existsSync(installed) ? installed : ownRulesFile();
}

function hostStateDir(api: OpenClawPluginApi): string {
  try {
    return api.runtime.state.resolveStateDir(process.env);
  } catch {
    return process.env.OPENCLAW_STATE_DIR ?? join(homedir(), ".openclaw");
  }
}

function rememberingWorkspaces(api: OpenClawPluginApi): WorkspaceOf {
  const known = new Map<string, { dir: string | null; until: number }>();
  return (agent) => {
    const name = agent ?? "";
    const now = performance.now();
    const remembered = known.get(name);
    if (remembered !== undefined && now < remembered.until) return remembered.dir;
    const dir = workspaceDir(api, agent);
    if (known.size > 256) known.clear();
    known.set(name, { dir, until: now + WORKSPACE_MS });
    return dir;
  };
}

function workspaceDir(api: OpenClawPluginApi, agent: string | null): string | null {
  try {
    const { agent: agents, config } = api.runtime;
    return agents.resolveAgentWorkspaceDir(config.current() as OpenClawPluginApi["config"], agent ?? "main");
  } catch {
    return null;
  }
}

export default {
  id: "callosum",
  name: "Callosum",
  description: "Stops concurrent agent sessions from doing the same irreversible thing twice.",
  register,
};
