// Work of requests that waits for a worker thread of the host, which has four and needs them for its own: so little is done at once, and the rest
// waits here.

const AT_ONCE = 2;
const MOST_WAITING = 64;

export class Turns {
  readonly #waiting: Array<() => void> = [];
  #taken = 0;

  /** Does `step` when its turn comes; gives `busy` when too many wait. */
  async take<T>(step: () => Promise<T>, busy: T): Promise<T> {
    if (this.#taken >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING) return busy;
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else {
      this.#taken += 1;
    }
    try {
      return await step();
    } finally {
      // Whoever waits longest takes over the place, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }
}
