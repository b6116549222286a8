// What one call costs the host: before- and after-hook together, on journals of several sizes, beside the floor and the SQLite gate.

import { type Call, type Durability, KINDS, type Kind, newCall } from "./calls.ts";
import { count, type Journal, type Journals } from "./journals.ts";
import { Floor } from "./native.ts";
import { Product } from "./product.ts";
import { atMost, type Row, type Target } from "./rows.ts";
import { type Summary, summary, type Times } from "./samples.ts";
import { SqliteGate } from "./sqlite-gate.ts";

const SMALL = 100;
const LARGE = 1_000_000;
/** A disk is now fast and now slow for whole milliseconds, so flushes take shorter turns, and more of them. */
const DISK_TURNS = 8;
/** The targets in microseconds are those of a core on which the floor takes as long. */
const REFERENCE_FLOOR_US = 1.4;
const FLAT = 1.2;

/** A line of the table that is measured on a journal. */
interface Case {
  name: string;
  bytes: number;
  durability: Durability;
  /** How many in one go, before it is another's turn. */
  block: number;
  what: Kind | "pause" | "status" | "journal";
}

const mailed: Case = { name: "tier 3 os (mail command)", bytes: SMALL, durability: "os", block: 200, what: KINDS.mailCommand };
const CASES: Case[] = [
  { name: "tier 0 (read)", bytes: SMALL, durability: "os", block: 200, what: KINDS.read },
  { name: "tier 1 (write)", bytes: SMALL, durability: "os", block: 200, what: KINDS.write },
  { name: "tier 1 (command)", bytes: SMALL, durability: "os", block: 200, what: KINDS.command },
  { name: "tier 2 (message)", bytes: SMALL, durability: "os", block: 200, what: KINDS.message },
  { name: "tier 3 os (mail tool)", bytes: SMALL, durability: "os", block: 200, what: KINDS.mailTool },
  mailed,
  { name: "tier 3 disk (mail command)", bytes: SMALL, durability: "disk", block: 2, what: KINDS.mailCommand },
  { name: "pause (mail command)", bytes: SMALL, durability: "os", block: 200, what: "pause" },
  { name: "status", bytes: 0, durability: "os", block: 20, what: "status" },
  { name: "journal (50)", bytes: 0, durability: "os", block: 20, what: "journal" },
];
/** With large parameters, only on the empty journal. */
const LARGE_CASES: Case[] = CASES.filter(({ what, durability }) => typeof what !== "string" && durability === "os").map(
  (small) => ({
    ...small,
    bytes: LARGE,
    block: 10,
  }),
);

/** The product and SQLite at one size of the journal, once for each durability. */
interface Sized {
  journal: Journal;
  product: Record<Durability, Product>;
  sqlite: Record<Durability, SqliteGate>;
}

/** Measures all cases in turns, so that whatever else the machine does hits all of them. */
export class Decisions {
  readonly #times = new Map<string, Times>();
  readonly #bytes = new Map<Case, number>();
  readonly #floor: Floor;
  readonly #sizes: Sized[];
  readonly #progress: (text: string) => void;

  constructor(journals: Journals, floorDir: string, progress: (text: string) => void) {
    this.#floor = new Floor(floorDir);
    this.#progress = progress;
    const byDurability = <T>(make: (durability: Durability) => T) => ({ os: make("os"), disk: make("disk") });
    const databases = new Map<string, Sized["sqlite"]>();
    this.#sizes = journals.all.map((journal) => {
      // Tables of one size serve both journals of that size: SQLite goes by the key, wherever in time the others lie.
      const sqlite =
        databases.get(journal.database) ?? byDurability((durability) => new SqliteGate(journal.database, durability));
      databases.set(journal.database, sqlite);
      return { journal, sqlite, product: byDurability((durability) => new Product(journal.dir, durability)) };
    });
  }

  async measure(rounds: number): Promise<void> {
    const mailedOnce = new Set<SqliteGate>();
    for (const { journal, product, sqlite } of this.#sizes) {
      const ms = [await product.os.open(), await product.disk.open()];
      this.#progress(`opened: ${journal.name}, in ${ms.map((each) => each.toFixed(0)).join(" and ")} ms`);
      const first = newCall(KINDS.mailAgain, SMALL);
      await product.os.settled(first);
      if (!mailedOnce.has(sqlite.os)) sqlite.os.calls([first]);
      mailedOnce.add(sqlite.os);
    }
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const one of CASES) {
        const turns = one.durability === "disk" ? DISK_TURNS : 1;
        for (let turn = 0; turn < turns; turn += 1) await this.#turn(one, round * turns + turn, round > 0, this.#sizes);
      }
      for (const one of LARGE_CASES) await this.#turn(one, round, round > 0, this.#sizes.slice(0, 1));
      for (const { product } of this.#sizes) for (const gate of Object.values(product)) await gate.maintain();
    }
    const late = this.#sizes.reduce((sum, { product }) => sum + product.os.late, 0);
    if (late > 0) this.#progress(`${late} unflushed calls could not be answered at once`);
  }

  async #turn(one: Case, first: number, counts: boolean, sizes: Sized[]): Promise<void> {
    if (!this.#bytes.has(one)) await this.#weigh(one, sizes);
    const { block, durability } = one;
    const turns: [string, () => Promise<Times> | Times][] = [
      ["floor", () => this.#floor.calls(block, this.#bytes.get(one) ?? 0, durability === "disk")],
    ];
    const databases = new Set<SqliteGate>();
    for (const { journal, product, sqlite } of sizes) {
      turns.push([journal.name, () => ofProduct(product[durability], one)]);
      if (databases.has(sqlite.os)) continue;
      databases.add(sqlite.os);
      turns.push([journal.database, () => ofSqlite(sqlite[durability], one)]);
    }
    for (let turn = 0; turn < turns.length; turn += 1) {
      const [series, run] = turns[(turn + first) % turns.length] ?? [];
      if (series === undefined || run === undefined) continue;
      const times = await run();
      if (counts) this.#series(one, series).push(...times);
    }
  }

  /** Finds out how many bytes a call writes, all its lines together. */
  async #weigh(one: Case, [first]: Sized[]): Promise<void> {
    if (first === undefined) return;
    const gate = first.product[one.durability];
    await gate.catchUp();
    const before = await gate.head();
    const { length } = await ofProduct(gate, one, false);
    this.#bytes.set(one, Math.round(((await gate.head()) - before) / length));
  }

  #series(one: Case, series: string): Times {
    const name = `${one.name} ${one.bytes} ${series}`;
    const times = this.#times.get(name) ?? [];
    this.#times.set(name, times);
    return times;
  }

  async close(): Promise<void> {
    this.#floor.close();
    for (const { product } of this.#sizes) for (const gate of Object.values(product)) await gate.close();
    for (const gate of new Set(this.#sizes.flatMap(({ sqlite }) => Object.values(sqlite)))) gate.close();
  }

  rows(): Row[] {
    const [empty, ...others] = this.#sizes;
    if (empty === undefined) return [];
    const reference = this.#floorOf(CASES.find(({ what }) => what === KINDS.write) ?? mailed);
    const rows = CASES.map((one) =>
      this.#row(one, empty, "before + after, empty journal", this.#ownTargets(one, empty, reference)),
    );
    for (const size of others) {
      const isLargest = size.journal.lines === Math.max(...others.map(({ journal }) => journal.lines));
      for (const one of CASES) {
        const growth = this.#p50(one, size.journal.name) / this.#p50(one, empty.journal.name);
        const flat = isLargest ? [atMost(FLAT, growth, "×", `≤ ${FLAT}× empty`)] : [];
        rows.push(this.#row(one, size, `before + after, ${size.journal.name} (${count(size.journal.perHour)} an hour)`, flat));
      }
    }
    for (const one of LARGE_CASES)
      rows.push(this.#row(one, empty, "parameters of 1 MB, empty journal", this.#largeTargets(one, empty.journal)));
    return rows;
  }

  #row(one: Case, { journal }: Sized, section: string, targets: Target[]): Row {
    const sqlite = this.#p50(one, journal.database);
    const times = this.#summary(one, journal.name);
    const faster = one.durability === "os" ? [fasterThanSqlite(one, times.p50 / sqlite)] : [];
    return { section, name: one.name, unit: "µs", ...times, floor: this.#floorOf(one), sqlite, targets: [...targets, ...faster] };
  }

  #ownTargets(one: Case, { journal }: Sized, reference: number): Target[] {
    const p50 = this.#p50(one, journal.name);
    const normal = (limit: number) => [
      atMost(limit, (p50 / reference) * REFERENCE_FLOOR_US, "µs", `≤ ${limit} µs where floor is ${REFERENCE_FLOOR_US}`),
    ];
    if (one.what === "pause") return [atMost(1, p50 / this.#p50(mailed, journal.name), "×", "≤ an allowed call")];
    if (typeof one.what === "string") return [];
    if (one.durability === "disk") return [atMost(2 * this.#floorOf(one) + 150, p50, "µs", "≤ two flushes and 150 µs")];
    switch (one.what.tier) {
      case 2:
        return normal(8);
      case 3:
        return normal(15);
      default:
        return [atMost(3, p50 / this.#floorOf(one), "×", "≤ 3× floor")];
    }
  }

  #largeTargets(one: Case, journal: Journal): Target[] {
    const p50 = this.#p50(one, journal.name);
    if (typeof one.what === "string" || one.what.tier >= 2) return [atMost(4_000, p50, "µs", "≤ 4 ms")];
    const small = CASES.find(({ what }) => what === one.what) ?? one;
    return [atMost(2, p50 / this.#p50(small, journal.name), "×", "≤ 2× of 100 B")];
  }

  #summary(one: Case, series: string): Summary {
    return summary(this.#series(one, series));
  }

  #p50(one: Case, series: string): number {
    return this.#summary(one, series).p50;
  }

  #floorOf(one: Case): number {
    return this.#p50(one, "floor");
  }
}

function fasterThanSqlite({ what }: Case, times: number): Target {
  const isLow = typeof what !== "string" && what.tier <= 2;
  return isLow ? atMost(1 / 3, times, "×", "≤ 1/3 of SQLite") : atMost(1, times, "×", "≤ SQLite");
}

function newCalls({ what, bytes, block }: Case): Call[] {
  return typeof what === "string" ? [] : Array.from({ length: block }, () => newCall(what, bytes));
}

async function ofProduct(gate: Product, one: Case, catchUp = true): Promise<Times> {
  const calls = newCalls(one);
  if (catchUp) await gate.catchUp();
  if (one.what === "pause") return gate.pauses(one.block, one.bytes);
  if (one.what === "status") return gate.statuses(one.block);
  if (one.what === "journal") return gate.journals(one.block);
  return gate.calls(calls);
}

function ofSqlite(gate: SqliteGate, one: Case): Times {
  if (one.what === "pause") return gate.pauses(one.block, one.bytes);
  if (one.what === "status") return gate.statuses(one.block);
  if (one.what === "journal") return gate.journals(one.block);
  return gate.calls(newCalls(one));
}
