// What the host lets the sender of a request do. It tells a route's handler in no argument, so its own module is asked; an older host without it
// lets nobody ask the gate.

export type Scopes = readonly string[];

/** The scopes of the request that is being handled. Rejects where the host can't be asked. */
export async function scopesOfRequest(): Promise<Scopes> {
  const host = await import("openclaw/plugin-sdk/plugin-runtime");
  return host.getPluginRuntimeGatewayRequestScope()?.client?.connect.scopes ?? [];
}
