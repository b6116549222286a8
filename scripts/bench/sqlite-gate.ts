// What somebody would write who has SQLite at hand: the same decision in one immediate transaction, with prepared statements and indexes. Where the
// jobs differ it is in SQLite's favour: rules, redaction, delivery of pauses, repeated hooks and dead holders are left out.

import { hash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Call, type Durability, KINDS, newCall, newSession } from "./calls.ts";
import { type Times, timed } from "./samples.ts";

const WINDOW_MS = 24 * 3_600_000;
const RETRY_MS = 600_000;
const LEASE_MS = 300_000;
const SUMMARY_CHARS = 400;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, tier INTEGER NOT NULL, instance TEXT NOT NULL, agent TEXT, session TEXT, run TEXT, call TEXT,
    tool TEXT, rule TEXT, keys TEXT, digest TEXT, params TEXT, expires INTEGER, holder INTEGER, outcome TEXT, exitCode INTEGER, ended INTEGER
  );
  CREATE INDEX IF NOT EXISTS call_at ON call (at) WHERE tier >= 2;
  CREATE INDEX IF NOT EXISTS call_open ON call (expires) WHERE outcome IS NULL AND tier >= 3;
  CREATE TABLE IF NOT EXISTS call_key (key TEXT, at INTEGER, call INTEGER, PRIMARY KEY (key, at, call)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pause (id INTEGER PRIMARY KEY, at INTEGER, session TEXT, key TEXT, call TEXT, evidence TEXT);
  CREATE INDEX IF NOT EXISTS pause_by ON pause (session, at);
`;

interface Evidence {
  id: number;
  at: number;
  instance: string;
  session: string;
  tool: string;
  outcome: string | null;
  ended: number | null;
}

export class SqliteGate {
  readonly #db: DatabaseSync;
  readonly #seen = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #settle: StatementSync;
  readonly #evidence: StatementSync;
  readonly #acknowledged: StatementSync;
  readonly #pause: StatementSync;
  readonly #others: StatementSync;

  constructor(file: string, durability: Durability) {
    this.#db = new DatabaseSync(file);
    // In WAL mode OFF survives a crash of the process and FULL a power cut: the two durabilities of the product.
    this.#db.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === "disk" ? "FULL" : "OFF"};
      PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 3000;
    `);
    this.#db.exec(SCHEMA);
    this.#begin = this.#db.prepare("BEGIN IMMEDIATE");
    this.#commit = this.#db.prepare("COMMIT");
    this.#insert = this.#db.prepare(
      "INSERT INTO call (at, tier, instance, agent, session, run, call, tool, rule, keys, digest, params, expires, holder) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    );
    this.#insertKey = this.#db.prepare("INSERT INTO call_key (key, at, call) VALUES (?,?,?)");
    this.#settle = this.#db.prepare("UPDATE call SET outcome = ?, exitCode = ?, ended = ? WHERE id = ?");
    this.#evidence = this.#db.prepare(
      `SELECT call.id, call.at, instance, session, tool, outcome, ended FROM call_key JOIN call ON call.id = call_key.call
       WHERE call_key.key = ? AND call_key.at >= ? AND (outcome IS NULL OR outcome IN ('complete', 'unknown')) ORDER BY call_key.at DESC`,
    );
    this.#acknowledged = this.#db.prepare("SELECT evidence FROM pause WHERE session = ? AND at >= ? AND key = ?");
    this.#pause = this.#db.prepare("INSERT INTO pause (at, session, key, call, evidence) VALUES (?,?,?,?,?)");
    this.#others = this.#db.prepare("SELECT at, session, tool, keys FROM call WHERE tier >= 2 ORDER BY at DESC LIMIT 5");
  }

  /** Fills the tables with what as many journal lines hold, spread over `spanMs` until now. */
  fill(lines: number, spanMs: number): void {
    // Of 19 calls one has an outcome, which is a journal line of its own but no row here.
    const calls = Math.round((lines * 19) / 20);
    const now = Date.now();
    this.#db.exec("BEGIN");
    this.#db
      .prepare(
        `INSERT INTO call SELECT NULL, CAST(? + n * ? AS INTEGER), tier, 'bench', 'main', 'agent:main:cron-' || (n % 20), printf('run-%08d', n / 100),
           printf('call_%016d', n), iif(tier = 0, 'read', iif(tier = 1, 'exec', iif(tier = 2, 'message', 'exec'))),
           iif(tier = 0, 'read', iif(tier = 1, 'exec', iif(tier = 2, 'message-send', 'email-send'))),
           iif(tier = 2, 'channel:team-' || (n % 1000), iif(tier = 3, 'email:reader-' || n || '@example.com', NULL)),
           iif(tier >= 2, printf('%032x', n), NULL), iif(tier >= 2, printf('%-80s', '{"action":"send"}'), NULL), NULL,
           1, iif(tier >= 2, 'complete', NULL), NULL, NULL
         FROM (WITH RECURSIVE line (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM line WHERE n + 1 < ?)
           SELECT n, iif(n % 19 = 0, iif(n / 19 % 5 IN (1, 3), 3, 2), iif(n % 5 IN (0, 2, 4), 0, 1)) AS tier FROM line)`,
      )
      .run(now - spanMs, spanMs / calls, calls);
    this.#db.exec("INSERT INTO call_key SELECT keys, at, id FROM call WHERE tier >= 2 ORDER BY 1, 2, 3; COMMIT");
    this.#db.exec("PRAGMA wal_checkpoint (TRUNCATE); PRAGMA optimize");
  }

  close(): void {
    this.#db.close();
  }

  #record(call: Call, now: number): number {
    const { tier, session, run, id, tool, rule, key, params } = call;
    const text = tier >= 2 ? JSON.stringify(params) : null;
    const digest = text === null ? null : hash("sha256", text).slice(0, 32);
    const summary = text === null ? null : text.slice(0, SUMMARY_CHARS);
    const expires = tier >= 3 ? now + LEASE_MS : null;
    const row = [now, tier, "bench", "main", session, run, id, tool, rule, key, digest, summary, expires, process.pid] as const;
    return Number(this.#insert.run(...row).lastInsertRowid);
  }

  #count(tool: string): void {
    this.#seen.set(tool, (this.#seen.get(tool) ?? 0) + 1);
  }

  /** What becomes of a call: nothing when it may run, else the text of its pause. */
  #before(call: Call): string | undefined {
    const now = Date.now();
    this.#count(call.tool);
    if (call.tier < 2) {
      this.#record(call, now);
      return undefined;
    }
    this.#begin.run();
    const evidence =
      call.tier >= 3 ? (this.#evidence.all(call.key, now - WINDOW_MS) as unknown as Evidence[]) : ([] satisfies Evidence[]);
    if (evidence.length > 0 && !this.#wasShown(call, evidence, now)) return this.#paused(call, evidence, now);
    const id = this.#record(call, now);
    if (call.key !== null) this.#insertKey.run(call.key, now, id);
    this.#commit.run();
    this.#open.set(call.id, id);
    return undefined;
  }

  #wasShown({ session, key }: Call, evidence: Evidence[], now: number): boolean {
    const pauses = this.#acknowledged.all(session, now - RETRY_MS, key) as { evidence: string }[];
    return pauses.some((pause) => {
      const shown = new Set(JSON.parse(pause.evidence) as string[]);
      return evidence.every(({ id, outcome }) => shown.has(`${id} ${outcome}`));
    });
  }

  #paused(call: Call, evidence: Evidence[], now: number): string {
    const shown = JSON.stringify(evidence.map(({ id, outcome }) => `${id} ${outcome}`));
    this.#pause.run(now, call.session, call.key, call.id, shown);
    const others = this.#others.all() as { at: number; session: string; tool: string; keys: string }[];
    this.#commit.run();
    const ago = (at: number) => `${Math.round((now - at) / 1_000)}s ago`;
    return [
      `"${call.key}" was already acted on ${ago(evidence[0]?.at ?? now)}.`,
      ...evidence.map(
        ({ at, instance, session, tool, outcome }) => `${ago(at)} by ${instance} (${session}): ${tool}, ${outcome}`,
      ),
      ...others.map(({ at, session, tool, keys }) => `${ago(at)} by ${session}: ${tool} (${keys})`),
    ].join("\n");
  }

  #after(call: Call): void {
    this.#count(call.tool);
    const id = this.#open.get(call.id);
    if (id === undefined) return;
    this.#open.delete(call.id);
    this.#settle.run("complete", call.exitCode, Date.now(), id);
  }

  #timed(calls: Call[], paused: boolean): Times {
    return calls.map((call) => {
      let refuse: string | undefined;
      const ns = timed(() => {
        refuse = this.#before(call);
        this.#after(call);
      });
      if ((refuse !== undefined) !== paused) throw new Error(`SQLite ${paused ? "let a call through" : "paused a call"}`);
      return ns;
    });
  }

  calls(calls: Call[]): Times {
    return this.#timed(calls, false);
  }

  pauses(count: number, bytes: number): Times {
    return this.#timed(
      Array.from({ length: count }, () => newCall(KINDS.mailAgain, bytes, newSession())),
      true,
    );
  }

  /** What the product's status tells, as far as tables can say it without counting rows. */
  statuses(count: number): Times {
    const lines = this.#db.prepare("SELECT max(id) AS lines FROM call");
    const oldest = this.#db.prepare("SELECT at FROM call ORDER BY id LIMIT 1");
    const pages = this.#db.prepare("PRAGMA page_count");
    const leases = this.#db.prepare(
      "SELECT keys, instance, session, tool, tier, at, expires FROM call WHERE outcome IS NULL AND tier >= 3 AND expires > ?",
    );
    const recent = this.#db.prepare(
      "SELECT keys, instance, session, tool, tier, at, outcome FROM call WHERE tier >= 2 ORDER BY at DESC LIMIT 50",
    );
    return Array.from({ length: count }, () =>
      timed(() => {
        const journal = { ...lines.get(), ...oldest.get(), ...pages.get() };
        JSON.stringify({ journal, locks: leases.all(Date.now()), recent: recent.all(), coverage: [...this.#seen] });
      }),
    );
  }

  journals(count: number): Times {
    const newest = this.#db.prepare("SELECT * FROM call ORDER BY id DESC LIMIT 50");
    return Array.from({ length: count }, () => timed(() => JSON.stringify({ entries: newest.all() })));
  }
}
