// Tokens that prove where a request comes from: random, bounded in number and time. What each stands for is kept under its digest, so looking one up
// takes the same time however much of a guess was right.

import { createHash, randomBytes } from "node:crypto";

interface Held<T> {
  value: T;
  /** On the clock of `performance.now()`. */
  until: number;
}

export class Tokens<T> {
  readonly #most: number;
  readonly #lifeMs: number;
  readonly #held: Map<string, Held<T>>;

  /** Keeps the newest `most`, each for `lifeMs`, in `held`. */
  constructor(most: number, lifeMs: number, held: Map<string, Held<T>> = new Map()) {
    this.#most = most;
    this.#lifeMs = lifeMs;
    this.#held = held;
  }

  /**
   * Tokens that live as long as the process at most, however often the plugin is reloaded: each load has its own copy of this module, and only the
   * global object reaches from one to the other.
   */
  static ofProcess<T>(name: string, most: number, lifeMs: number): Tokens<T> {
    const shared = globalThis as { [key: symbol]: Map<string, Held<T>> | undefined };
    const symbol = Symbol.for(`callosum.${name}`);
    shared[symbol] ??= new Map();
    return new Tokens(most, lifeMs, shared[symbol]);
  }

  /** A new token that stands for `value`. */
  issue(value: T): string {
    const token = randomBytes(24).toString("base64url");
    this.#held.set(digest(token), { value, until: performance.now() + this.#lifeMs });
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.#most) break;
      this.#held.delete(oldest);
    }
    return token;
  }

  /** What the token stands for; undefined when it is not, or no longer, one. */
  find(token: unknown): T | undefined {
    if (typeof token !== "string") return undefined;
    const held = this.#held.get(digest(token));
    return held !== undefined && performance.now() < held.until ? held.value : undefined;
  }
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
