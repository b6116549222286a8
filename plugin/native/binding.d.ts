/* Made by the build: the rest of what the addon exports, told by napi. */

/** What each gate has as functions of its own. */
export interface Gate {
  /**
   * What becomes of a tool call. Touches no file, and waits some milliseconds at the most. `params` is read lazily: the properties that rules name, and all of it
   * from tier 2 on. With `canAsk` a person may be asked about the call.
   */
  before(
    tool: string,
    toolKind: string | undefined | null,
    agent: string | undefined | null,
    session: string,
    run: string | undefined | null,
    call: string | undefined | null,
    cwd: string | undefined | null,
    params: unknown,
    canAsk?: boolean,
  ): Answer | null
  /**
   * The after-hook of a call. `ended` is `ok`, `error`, `refused`, `aborted`, `timed-out`, `killed`, `running` or
   * `maybe`; `processSession` is the background process session of a running one. A ticket in the answer need not be
   * waited for.
   */
  after(
    tool: string,
    agent: string | undefined | null,
    session: string,
    run: string | undefined | null,
    call: string | undefined | null,
    params: unknown,
    ended: string,
    exitCode: number | undefined | null,
    processSession: string | undefined | null,
  ): Answer | null
}


/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** The gate of one plugin instance. Nothing is looked at on the disk before the first call. */
export declare class Gate {
  /**
   * A gate that has not looked at anything yet. `before` and `after` are its own functions: see `hooks`.
   *
   * # Errors
   * When these can't be made.
   */
  constructor(options: GateOptions)
  /** A background process of an earlier running call has ended. */
  processEnded(processSession: string, ended: string, exitCode?: number | undefined | null): Answer | null
  /** The host has stored this call's result for the model. */
  resultPersisted(session: string, call: string): Answer | null
  /** A model call of this run begins: the model has seen all results of the run so far. */
  modelCallStarted(run: string): Answer | null
  /**
   * Does what a ticket stands for on a worker thread, within 3 s and the time of a flush. Resolves to
   * the final answer; never rejects.
   */
  finish(ticket: number): Promise<Answer | null>
  /**
   * The host can't wait for a ticket any longer: gives the answer that `onStateError` wants. If the
   * worker still lets the call through, that is closed as refused.
   */
  abandon(ticket: number): Answer | null
  /** Writes what waits. Run it every 5 s and when an answer asks for it; never rejects. */
  maintain(): Promise<void>
  /** Log lines since the last call. */
  notices(): Array<Notice>
  /**
   * Answers a question about all sessions with JSON text, or with `{"error":{"code","message"}}`; never
   * rejects. The questions are those of `callosum_core::query::QUESTIONS` that only read; the request is JSON
   * text, an object, or empty where nothing need be said. Of `timeline`, `tally` and a `journal` with a
   * `budget` a bounded piece is told: go on with `before` set to the answer's `next`, until that is null.
   */
  ask(question: string, request: string): Promise<string>
  /**
   * Ends the live leases on a resource in the name of `by`: `{"key","released":[…]}`, or an error as
   * `ask` gives it.
   */
  release(key: string, by: string): Promise<string>
  /** Answers a request to one of the five endpoints, in the name of whoever may ask this gateway; never rejects. */
  endpoint(request: EndpointRequest): Promise<EndpointAnswer>
  /**
   * Answers a request about the shared context, which is JSON text, with a JSON object; or with
   * `{"error":{"code","message","remedy"}}`. Never rejects. The requests are those of `callosum_context::tools`.
   */
  context(request: string): Promise<string>
  /**
   * Answers a verb of the team to a person at the page, as `callosum_team::api` tells them: JSON text, or
   * `{"error":{"code","message","remedy"}}`; never rejects. `request` is JSON text.
   */
  teamOnPage(verb: string, request: string): Promise<string>
  /** Waits until what hooks left is written, for 15 ms at the most. For a process that exits without having closed the gate. */
  writeAtExit(): void
  /** Writes what is left and lets the files go. Afterwards every method answers `null`. */
  close(): Promise<void>
}

/** What the host still has to do; `null` instead of an answer means: nothing, the call may run. */
export interface Answer {
  /** The call is refused with this text for the model. */
  refuse?: string
  /** The call may run once a person whom the host asks with this text has allowed it. */
  ask?: string
  /** How long they may think about it, milliseconds. */
  askMs?: number
  /** The call may run; a person may be warned with this text. */
  warn?: string
  /** Work is left for a worker thread: `finish(ticket)`. A call that is to be decided may not run before. */
  ticket?: number
  /** Nothing to wait for, but `maintain()` should run soon: records wait in the backlog. */
  maintain?: boolean
}

/** What is answered to it. */
export interface EndpointAnswer {
  /** The status of HTTP. */
  status: number
  /** JSON text. */
  body: string
  /** The header `Retry-After`, in seconds. */
  retryAfter?: number
  /** The header `Allow`. */
  allow?: string
}

/** A request to one of the five endpoints. */
export interface EndpointRequest {
  /** `GET`, `POST` … */
  method: string
  /** The path below the route, and the query, as they came: `/lock/account%3Aacme?instance=doug`. */
  path: string
  /** The body; empty where there is none. */
  body: Buffer
  /** The header `Idempotency-Key`. */
  idempotencyKey?: string
}

/** What a gate is made of. */
export interface GateOptions {
  /**
   * The plugin's config as JSON text. Wrong values fall back to their defaults and are named in the
   * notices and the status.
   */
  config: string
  /** The runtime's name: `openclaw`. */
  runtime: string
  /** The machine's name; makes the default instance id together with `hostStateDir`. */
  hostName: string
  /** The host's own state folder. */
  hostStateDir: string
  /** The `tiers.json` that lies in the plugin folder. */
  packagedTiers?: string
}

/** A line for the host's log. */
export interface Notice {
  /** `info`, `warn` or `error`. */
  level: 'info' | 'warn' | 'error'
  /** The line. */
  text: string
}
