// What every scene has: a folder, a scripted model, a fake mail program, and the state directory that the sessions share.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type FakeModel, type ScriptedCall, type Step, script } from "./fake-model.ts";
import type { Mail } from "./mail.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
/** The built plugin. */
export const EXTENSION = join(ROOT, "dist", "callosum");
/** The program of an extension. */
const programOf = (extension: string) => join(extension, "bin", "callosum");
/** The built program. */
export const CALLOSUM = programOf(EXTENSION);

export interface Props {
  dir: string;
  stateDir: string;
  model: FakeModel;
  mail: Mail;
  /** Another extension than the built one. */
  extension?: string | undefined;
}

export class Stage {
  readonly dir: string;
  readonly stateDir: string;
  readonly model: FakeModel;
  readonly mail: Mail;
  readonly #program: string;
  #turns = 0;

  protected constructor({ dir, stateDir, model, mail, extension = EXTENSION }: Props) {
    this.dir = dir;
    this.stateDir = stateDir;
    this.model = model;
    this.mail = mail;
    this.#program = programOf(extension);
  }

  /** A name for a turn of this session, and the prompt on which the model plays these steps in it. */
  protected turn(session: string, steps: Array<Step | ScriptedCall>): { name: string; prompt: string } {
    this.#turns += 1;
    const name = `${session}-${this.#turns}`;
    const plan = steps.map((step) => ("calls" in step ? step : { calls: [step] }));
    return { name, prompt: script(name, plan) };
  }

  /** Ends the model and removes the folder. CALLOSUM_KEEP=1 keeps it, to look at. */
  protected async clear(): Promise<void> {
    await this.model.stop();
    if (process.env.CALLOSUM_KEEP === "1") console.log(`kept ${this.dir}`);
    else rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs the command line on the same state directory. */
  async cli(...args: string[]): Promise<string> {
    const env = { ...process.env, CALLOSUM_STATE_DIR: this.stateDir };
    const { stdout } = await promisify(execFile)(this.#program, args, { env, timeout: 10_000 });
    return stdout;
  }
}
