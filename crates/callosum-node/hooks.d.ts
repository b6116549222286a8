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

