// On what it was measured.

import { arch, cpus, loadavg, release, totalmem, type } from "node:os";

export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  /** Of the last minute, before anything was measured: on a busy machine the tail of a row says little. */
  load: number;
  system: string;
  node: string;
  date: string;
}

export function machine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    load: loadavg()[0] ?? 0,
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
}

export function facts({ processor, cores, memoryGb, load, system, node, date }: Machine): string {
  return `${processor}, ${cores} cores, ${memoryGb} GB, load ${load.toFixed(1)} at the start; ${system}; disk of unknown type; Node ${node}; ${date}`;
}
