// The plugin's settings. The core checks each value, falls back to its default and names what is wrong; here they only become text.

import { isRecord } from "./host.ts";

/** The settings as JSON text. Whatever can't be written as JSON counts as no settings at all, which the caller reports. */
export function configText(pluginConfig: unknown): { text: string; problem?: string } {
  if (pluginConfig === undefined || pluginConfig === null) return { text: "{}" };
  try {
    return { text: JSON.stringify(pluginConfig) ?? "{}" };
  } catch {
    return { text: "{}", problem: "the plugin's config can't be read as JSON; every setting has its default" };
  }
}

/**
 * True when the operator wants no call to go on without the gate. The only setting that is read here: it must hold when the core can't be
 * asked, because its addon did not load.
 */
export function isClosedOnError(pluginConfig: unknown): boolean {
  return isRecord(pluginConfig) && pluginConfig.onStateError === "closed";
}
