// The plugin's settings. The core checks each value, falls back to its default and names what is wrong; here they only become text.

import { isRecord } from "./host.ts";

/** The settings as JSON text. Whatever can't be written as JSON counts as no settings at all, which the caller reports. */
export function configText(pluginConfig: unknown): { text: string; problem?: string } {
  if (pluginConfig === undefined || pluginConfig === null) return { text: "{}" };
  try {
    return { text: JSON.stringify(pluginConfig) ?? "{}" };
  } catch {
    return { text: "{}", problem: "the plugin's config can't be read as JSON; all defaults are used" };
  }
}

/**
 * True when the operator wants no call to go on without the gate. Read here because it must hold when the core can't be asked, its addon not
 * having loaded.
 */
export function isClosedOnError(pluginConfig: unknown): boolean {
  return isRecord(pluginConfig) && pluginConfig.onStateError === "closed";
}

/** Whether heartbeats are told what other sessions did. The core names a value that is no boolean; then the default holds. */
export function wantsSessionContext(pluginConfig: unknown): boolean {
  return !(isRecord(pluginConfig) && pluginConfig.sessionContext === false);
}

/** Whether the operator switched the shared context on for this gateway's prompts and tools. */
export function wantsSharedContext(pluginConfig: unknown): boolean {
  return isRecord(pluginConfig) && pluginConfig.sharedContextEnabled === true;
}

/** Whether the operator gives this gateway's agents the tools for working together. */
export function wantsTeamTools(pluginConfig: unknown): boolean {
  return isRecord(pluginConfig) && pluginConfig.teamTools === true;
}

/** The state directory that the operator chose, for the native program, which does not read the host's config. */
export function stateDirIn(pluginConfig: unknown): string | undefined {
  const stateDir = isRecord(pluginConfig) ? pluginConfig.stateDir : undefined;
  return typeof stateDir === "string" && stateDir.trim() !== "" ? stateDir : undefined;
}
