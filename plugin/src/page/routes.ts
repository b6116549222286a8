// The page in the host's Control UI: two tabs that show the same page in sandboxed frames. The host shows the second to those who may write; there
// leases can be released, and what agents propose is accepted or rejected. What the host authenticates are the two documents; the routes below
// them are opened by the token in the document.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import { ask, textOf } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import type { WorkspaceOf } from "../hooks/before-tool-call.ts";
import type { Turns } from "../http/turns.ts";
import type { NativeGate } from "../native.runtime.ts";
import { inWorkspace } from "../rpc/gateway-methods.ts";
import { HeadStreams } from "./events.ts";
import { FILES, type FileName, PageFiles } from "./files.ts";
import { mayRelease, Passes, tokenOf } from "./page-sessions.ts";
import { askedAtPage, Questions } from "./questions.ts";
import { forPage, sendDocument, sendFailure, sendFile, sendJson, sendPlain, statusOfFailure } from "./reply.ts";

const BASES = { all: "/plugins/callosum/", leases: "/plugins/callosum-leases/" } as const;
/** As the parameters of `callosum.release`. */
const MOST_KEY = 1_024;
const NOT_BUILT =
  "Callosum's page is missing in the plugin's folder. Install the plugin again, or run `npm run build` in its repository.";
const OLD_PAGE = "this page was opened too long ago, or before the gateway started; reload it";
const BUSY = "too many requests at once; try again";

type View = keyof typeof BASES;
type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export class PageRoutes {
  readonly #api: OpenClawPluginApi;
  readonly #owner: GateOwner;
  readonly #version: string;
  readonly #folder: string | undefined;
  readonly #questions: Questions;
  readonly #streams: HeadStreams;
  readonly #passes: Passes;
  #files: PageFiles | undefined;

  /** `folder` has the built page; a test brings its own. */
  constructor(api: OpenClawPluginApi, owner: GateOwner, turns: Turns, workspaceOf: WorkspaceOf, folder?: string) {
    const version = api.version ?? "unknown";
    this.#api = api;
    this.#folder = folder;
    this.#owner = owner;
    this.#version = version;
    this.#questions = new Questions(owner, turns, version, (call) => inWorkspace(workspaceOf, call));
    const passes = new Passes(() => JSON.stringify(this.#access()));
    this.#passes = passes;
    this.#streams = new HeadStreams(
      () => ask(owner, "head"),
      (token) => passes.reads(token),
    );
  }

  /** Adds the routes and the tabs to the host. */
  register(): void {
    for (const view of ["all", "leases"] as const) this.#registerRoutes(view);
    const tab = { surface: "tab", group: "control" } as const;
    // Older hosts have no tabs.
    const controls = this.#api.session?.controls;
    controls?.registerControlUiDescriptor?.({
      ...tab,
      id: "callosum",
      label: "Callosum",
      description: "What all agent sessions on this machine do, and why one was paused.",
      icon: "activity",
      path: BASES.all,
      slug: "callosum",
      order: 50,
      requiredScopes: ["operator.read"],
    });
    controls?.registerControlUiDescriptor?.({
      ...tab,
      id: "callosum-leases",
      label: "Callosum leases",
      description: "What agent sessions hold right now, and a button that releases it.",
      icon: "lock",
      path: BASES.leases,
      slug: "callosum-leases",
      order: 51,
      requiredScopes: ["operator.write"],
    });
  }

  /** Ends the live streams: who listens comes back by itself, to the instance that is there then. */
  end(): void {
    this.#streams.end();
  }

  #registerRoutes(view: View): void {
    const base = BASES[view];
    const api = `${base}api`;
    const get = (route: Route) => this.#safely((request, response) => onlyGet(request, response, route));
    this.#api.registerHttpRoute({
      path: base,
      match: "exact",
      auth: "gateway",
      handler: get((request, response) => this.#document(view, request, response)),
    });
    this.#api.registerHttpRoute({
      path: api,
      match: "prefix",
      auth: "plugin",
      handler: this.#safely((request, response) => this.#private(api, request, response)),
    });
    // They hold nothing that is not in the package.
    for (const name of Object.keys(FILES) as FileName[])
      this.#api.registerHttpRoute({
        path: `${base}${name}`,
        match: "exact",
        auth: "plugin",
        handler: get((request, response) => this.#file(name, request, response)),
      });
  }

  #document(view: View, request: IncomingMessage, response: ServerResponse): void {
    const base = BASES[view];
    if (!urlOf(request).pathname.endsWith("/")) {
      // Without the slash a browser looks for the page's files one folder too high.
      const location = `.${base.slice(base.indexOf("/", 1))}`;
      sendPlain(request, response, 308, "The page is at the same address with a slash.", { location });
      return;
    }
    const files = this.#opened();
    if (files === undefined) {
      sendPlain(request, response, 503, NOT_BUILT);
      return;
    }
    const releases = view === "leases" && mayRelease(request, this.#access().roles !== undefined);
    const about = {
      token: this.#passes.issue(releases),
      host: "openclaw",
      version: this.#version,
      view,
      release: releases ? "api/release" : null,
      decide: releases ? "api/decide" : null,
    } as const;
    sendDocument(response, files.document(about));
  }

  #file(name: FileName, request: IncomingMessage, response: ServerResponse): void {
    const file = this.#opened()?.file(name);
    if (file === undefined) sendPlain(request, response, 404, "The page has no such file.");
    else sendFile(request, response, file);
  }

  /** What only the page may read and do. Nothing of a request's body is ever read: a sender could take its time. */
  async #private(api: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = urlOf(request);
    const name = pathname.startsWith(`${api}/`) ? pathname.slice(api.length + 1) : "";
    const asked = searchParams.get("q");
    if (name === "release") await this.#release(asked, request, response);
    else if (name === "decide") await this.#decide(asked, request, response);
    else await onlyGet(request, response, () => this.#answer(name, asked, request, response));
  }

  async #answer(name: string, asked: string | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = tokenOf(request);
    if (token === undefined || !this.#passes.reads(token)) {
      sendFailure(request, response, 401, "unauthorized", OLD_PAGE);
      return;
    }
    if (name === "events") {
      const opened = request.method === "GET" && this.#streams.add(token, response, forPage(request));
      if (!opened) sendFailure(request, response, 503, "busy", BUSY);
      return;
    }
    const answer = await this.#questions.answer(name, asked);
    if (answer.ok) sendJson(request, response, 200, answer.text);
    else sendFailure(request, response, statusOfFailure(answer.code), answer.code, answer.message);
  }

  /** A POST with `{"key"}` in `q`. */
  async #release(asked: string | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#mayWrite(request, response, "A lease is released by a POST.")) return;
    const key = keyIn(asked);
    if (key === undefined) {
      const message = `\`q\` must be an object with a \`key\`, a text of at most ${MOST_KEY} characters`;
      sendFailure(request, response, 400, "bad-request", message);
      return;
    }
    await this.#sendDone(request, response, (gate) => gate.release(key, "an operator, in the Control UI"));
  }

  /**
   * A POST with `{"matter", "id", "accept"}` in `q`: a person accepts what an agent proposes, or rejects it; or keeps a file that something else
   * changed, of which they saw `version`, or has it put back.
   */
  async #decide(asked: string | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#mayWrite(request, response, "A person's word is given by a POST.")) return;
    const word = wordIn(asked);
    if (word === undefined) {
      const message =
        '`q` must be an object with a `matter` ("task", "proposal" or "file"), an `id`, and `accept`: true or false';
      sendFailure(request, response, 400, "bad-request", message);
      return;
    }
    const { matter, id, accept, version } = word;
    await this.#sendDone(request, response, (gate) => {
      if (matter === "task") return gate.team(askedAtPage(accept ? "accept" : "reject", { id }));
      const asked = matter === "file" ? { do: "settle", path: id, version, accept } : { do: "decide", id, accept };
      return gate.context(JSON.stringify(asked));
    });
  }

  /** Whether the request is a POST of a page that may write; what else it is, is answered. */
  #mayWrite(request: IncomingMessage, response: ServerResponse, onlyByPost: string): boolean {
    if (request.method !== "POST") {
      sendPlain(request, response, 405, onlyByPost, { allow: "POST" });
      return false;
    }
    const token = tokenOf(request);
    if (!this.#passes.reads(token)) {
      sendFailure(request, response, 401, "unauthorized", OLD_PAGE);
      return false;
    }
    if (!this.#passes.releases(token)) {
      const message = "this copy of the page can't change anything, or no longer can; reload it";
      sendFailure(request, response, 403, "forbidden", message);
      return false;
    }
    return true;
  }

  async #sendDone(
    request: IncomingMessage,
    response: ServerResponse,
    step: (gate: NativeGate) => Promise<string>,
  ): Promise<void> {
    const answer = await textOf(this.#owner, step);
    if (answer.ok) sendJson(request, response, 200, answer.text);
    else sendFailure(request, response, statusOfFailure(answer.code), answer.code, answer.message);
  }

  #opened(): PageFiles | undefined {
    this.#files ??= PageFiles.read(this.#folder);
    return this.#files;
  }

  /** What decides whom the host lets in. */
  #access(): { auth?: unknown; roles?: unknown; trustedProxies?: unknown } {
    const { gateway } = this.#api.runtime.config.current() as { gateway?: Record<string, unknown> };
    return { auth: gateway?.auth, roles: gateway?.roles, trustedProxies: gateway?.trustedProxies };
  }

  /** A route whose every failure is an answer. */
  #safely(route: Route): (request: IncomingMessage, response: ServerResponse) => Promise<true> {
    return async (request, response) => {
      try {
        await route(request, response);
      } catch (thrown) {
        this.#owner.fault("a route of the page", thrown);
        sendFailure(request, response, 503, "internal", "the request failed; see the log of the gateway");
      }
      return true;
    };
  }
}

async function onlyGet(request: IncomingMessage, response: ServerResponse, route: Route): Promise<void> {
  if (request.method === "GET" || request.method === "HEAD") await route(request, response);
  else sendPlain(request, response, 405, "This address can only be read.", { allow: "GET, HEAD" });
}

/** The resource that a release is for. */
function keyIn(asked: string | null): string | undefined {
  try {
    const { key } = JSON.parse(asked ?? "null") as { key?: unknown };
    return typeof key === "string" && key !== "" && key.length <= MOST_KEY ? key : undefined;
  } catch {
    return undefined;
  }
}

interface Word {
  matter: "task" | "proposal" | "file";
  id: string;
  accept: boolean;
  version: string;
}

/** A person's word on what an agent proposes, or on a file that something else changed. */
function wordIn(asked: string | null): Word | undefined {
  try {
    const { matter, id, accept, version = "" } = JSON.parse(asked ?? "null") as Partial<Record<keyof Word, unknown>>;
    if (matter !== "task" && matter !== "proposal" && matter !== "file") return undefined;
    if (typeof accept !== "boolean" || typeof version !== "string" || version.length > MOST_KEY) return undefined;
    return typeof id === "string" && id !== "" && id.length <= MOST_KEY ? { matter, id, accept, version } : undefined;
  } catch {
    return undefined;
  }
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? "/", "http://gateway");
}
