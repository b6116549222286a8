// The service: its calls beside a bare route that reads and answers as many bytes, and its streams of events.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ask, program } from "./native.ts";
import { atLeast, atMost, type Row } from "./rows.ts";
import { median } from "./samples.ts";

const SECTION = "the service, over HTTP";
/** Of the service's time and rate to those of the bare route. */
const MOST_TIME = 1.5;
const LEAST_RATE = 0.6;
/** What a call of tier 3 may take beyond one of tier 1 and, where there is one, the flush. */
const MOST_MORE_US = 100;
const CONNECTIONS = 64;
/** Threads that the service answers with at most. */
const MOST_WORKERS = 4;
const STREAMS = 1_000;
const RECORDS_A_SECOND = 1_000;
/** What the service may grow by while a thousand streams are sent a thousand records a second. */
const MOST_GROWTH_MB = 8;

interface Load {
  calls: number;
  seconds: number;
  p50: number;
  p99: number;
}

/** A server under load, and its token. */
interface Server {
  child: ChildProcess;
  port: number;
  token: string;
}

/** A service on a state directory of its own; nothing keeps a token from asking as often as it can. */
async function startService(folder: string, durability: "os" | "disk"): Promise<Server & { stateDir: string }> {
  const stateDir = join(folder, `service-${durability}`);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(stateDir, "settings.json"), JSON.stringify({ durability }));
  const limits = { requestsPerSecond: 1_000_000, burst: 1_000_000, openCalls: 1_024 };
  writeFileSync(join(stateDir, "serve.json"), JSON.stringify({ limits }));
  const serve = (...args: string[]) => ["--state-dir", stateDir, ...args];
  const made = execFileSync(program("callosum-serve"), serve("--json", "token", "add", "bench"), { encoding: "utf8" });
  const { token } = JSON.parse(made) as { token: string };
  // Its access log is written, as in use, but by nobody read.
  const child = spawn(program("callosum-serve"), serve("serve", "--listen", "127.0.0.1:0"), {
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^Serving .* on 127\.0\.0\.1:(\d+)\.$/.exec(line)?.[1];
    if (port !== undefined) return { child, port: Number(port), token, stateDir };
  }
  throw new Error("the service ended before it served");
}

/** A bare route. Its workers are as many as the service has for the connections that it is compared over; into `file` it flushes. */
async function startBareRoute(workers: number, file = "-"): Promise<Server> {
  const child = spawn(program("bare-route"), [String(workers), file], { stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { port } = JSON.parse(line) as { port: number };
    return { child, port, token: "none" };
  }
  throw new Error("the bare route ended before it served");
}

async function end({ child }: Server): Promise<void> {
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

const load = ({ port, token }: Server, kind: "write" | "mail", connections: number, ms: number) =>
  ask<Load>(program("http-load"), [String(port), token, kind, String(connections), String(ms)]);

/** Mean time of a call over one connection, µs. */
const mean = (load: Load) => (load.seconds / load.calls) * 1e6;

/** Rows of calls. Each is measured in turns with what it is compared with. */
async function callRows(folder: string, quick: boolean): Promise<Row[]> {
  const service = await startService(folder, "os");
  const flushing = await startService(folder, "disk");
  const bare = await startBareRoute(1);
  const bareFlushing = await startBareRoute(1, join(folder, "flushed"));
  const bareForMany = await startBareRoute(Math.min(availableParallelism(), MOST_WORKERS));
  const rounds = quick ? 5 : 15;
  const ms = quick ? 400 : 1_000;
  const one: Load[] = [];
  const bareOne: Load[] = [];
  const mail: Load[] = [];
  const flushed: Load[] = [];
  const bareFlushed: Load[] = [];
  const many: Load[] = [];
  const bareMany: Load[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      one.push(await load(service, "write", 1, ms));
      bareOne.push(await load(bare, "write", 1, ms));
      mail.push(await load(service, "mail", 1, ms));
      flushed.push(await load(flushing, "mail", 1, ms));
      bareFlushed.push(await load(bareFlushing, "mail", 1, ms));
      many.push(await load(service, "write", CONNECTIONS, ms));
      bareMany.push(await load(bareForMany, "write", CONNECTIONS, ms));
    }
  } finally {
    await Promise.all([service, flushing, bare, bareFlushing, bareForMany].map(end));
  }
  const time = (loads: Load[], of: (load: Load) => number) => median(loads.map(of));
  const p50 = (loads: Load[]) => time(loads, (load) => load.p50 / 1_000);
  const p99 = (loads: Load[]) => time(loads, (load) => load.p99 / 1_000);
  const rate = (loads: Load[]) => time(loads, (load) => load.calls / load.seconds);
  // Pairs of neighbours in time, so that what slows the machine slows both.
  const ratio = (loads: Load[], others: Load[], of: (load: Load) => number) =>
    median(loads.map((load, place) => of(load) / of(others[place] as Load)));
  const timeRatio = ratio(one, bareOne, (load) => load.p50);
  const rateRatio = ratio(many, bareMany, (load) => load.calls / load.seconds);
  const more = median(mail.map((load, place) => (load.p50 - (one[place] as Load).p50) / 1_000));
  // What a flush takes, is what it adds to the bare route: it has processors rest and be woken, beside the disk.
  const moreFlushed = median(
    flushed.map((load, place) => {
      const flush = mean(bareFlushed[place] as Load) - mean(bareOne[place] as Load);
      return mean(load) - mean(one[place] as Load) - flush;
    }),
  );
  return [
    {
      section: SECTION,
      name: "/v1/before, tier 1, one connection",
      unit: "µs",
      p50: p50(one),
      p99: p99(one),
      floor: p50(bareOne),
      targets: [atMost(MOST_TIME, timeRatio, "×", `≤ ${MOST_TIME} × a bare route`)],
    },
    {
      section: SECTION,
      name: "/v1/before, tier 3, one connection, unflushed",
      unit: "µs",
      p50: p50(mail),
      p99: p99(mail),
      targets: [atMost(MOST_MORE_US, more, "µs", `≤ ${MOST_MORE_US} µs more than tier 1`)],
    },
    {
      section: SECTION,
      name: "/v1/before, tier 3, one connection, flushed",
      unit: "µs",
      p50: p50(flushed),
      p99: p99(flushed),
      floor: p50(bareFlushed),
      targets: [
        atMost(MOST_MORE_US, moreFlushed, "µs", `≤ ${MOST_MORE_US} µs more than tier 1 and a bare route's flush (means)`),
      ],
    },
    {
      section: SECTION,
      name: `/v1/before, tier 1, ${CONNECTIONS} connections`,
      unit: "calls/s",
      p50: rate(many),
      floor: rate(bareMany),
      targets: [atLeast(LEAST_RATE, rateRatio, "×", `≥ ${LEAST_RATE} × a bare route`)],
    },
  ];
}

/** What a process has in memory, in MB. */
function memory({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/** A thousand streams that want one record of a hundred, and one that wants all, while a session writes. */
async function streamRows(folder: string, quick: boolean): Promise<Row[]> {
  const service = await startService(folder, "os");
  const ms = quick ? 10_000 : 60_000;
  try {
    const args = [String(service.port), service.token, String(STREAMS), "call.paused", String(ms + 5_000)];
    const readers = spawn(program("http-streams"), args, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: readers.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).done) throw new Error("the streams could not be opened");
    const write = (ms: number) =>
      ask<{ records: number; pauses: number }>(program("steady"), [service.stateDir, String(RECORDS_A_SECOND), String(ms)]);
    // What is kept ready for streams is there after some seconds.
    const first = await write(ms / 4);
    const before = memory(service);
    const second = await write((ms * 3) / 4);
    const grown = memory(service) - before;
    const heard = JSON.parse(String((await lines.next()).value)) as Record<"events" | "gaps" | "fewest" | "most", number>;
    const pauses = first.pauses + second.pauses;
    const written = readdirSync(service.stateDir)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(service.stateDir, name), "utf8").split("\n").length - 1)
      .reduce((sum, lines) => sum + lines, 0);
    const missing =
      heard.gaps + Math.abs(written - heard.events) + Math.abs(heard.fewest - pauses) + Math.abs(heard.most - pauses);
    return [
      {
        section: SECTION,
        name: `${STREAMS} streams of one record in a hundred and one of all, ${RECORDS_A_SECOND} records a second: growth`,
        unit: "MB",
        p50: grown,
        targets: [atMost(MOST_GROWTH_MB, grown, "MB", `≤ ${MOST_GROWTH_MB} MB`), atMost(0, missing, "×", "no event missing")],
      },
    ];
  } finally {
    await end(service);
  }
}

export async function serviceRows(root: string, quick: boolean): Promise<Row[]> {
  const folder = join(root, "service");
  return [...(await callRows(join(folder, "calls"), quick)), ...(await streamRows(join(folder, "streams"), quick))];
}
