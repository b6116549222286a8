// Where the service is: a Unix socket, or a host and a port.

import { homedir } from "node:os";
import { join } from "node:path";
import { CallosumError } from "./errors.ts";

/** A service's address, as requests need it. */
export interface Address {
  /** As people write it. */
  readonly shown: string;
  readonly socketPath?: string;
  readonly hostname?: string;
  readonly port?: number;
  readonly secure: boolean;
  /** What stands before every path, without a slash at its end: the five endpoints may lie under a gateway's route. */
  readonly prefix: string;
}

/** The socket in the state directory, where `callosum serve` listens for its own user. */
export function defaultUrl(): string {
  const stateDir = process.env.CALLOSUM_STATE_DIR || join(homedir(), ".callosum");
  return `unix:${join(stateDir, "serve.sock")}`;
}

/** Reads `unix:/path/serve.sock`, `http://host:port` or `https://host:port`. */
export function parseAddress(url: string): Address {
  if (url.startsWith("unix:")) {
    // Three slashes are as good: the form of a URL.
    const socketPath = url.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    if (!socketPath.startsWith("/")) throw bad(url);
    return { shown: `unix:${socketPath}`, socketPath, secure: false, prefix: "" };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol)) throw bad(url);
  // A password in an address would end up in every message that names it.
  if (parsed.username !== "" || parsed.password !== "")
    throw new CallosumError("the service's address must have no user and no password in it; give the token as `token`");
  if (parsed.search !== "" || parsed.hash !== "") throw bad(url);
  const secure = parsed.protocol === "https:";
  return {
    shown: `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, ""),
    hostname: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(parsed.port || (secure ? 443 : 80)),
    secure,
    prefix: parsed.pathname.replace(/\/+$/, ""),
  };
}

function bad(url: string): CallosumError {
  const forms = "`http://127.0.0.1:7411`, `https://HOST:PORT` or `unix:/PATH/serve.sock`";
  return new CallosumError(`\`${url}\` is no address of Callosum's service; write it as ${forms}`);
}
