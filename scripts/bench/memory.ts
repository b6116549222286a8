// Resident memory of a process like a gateway: Node with the addon, after opening a journal and 1,000 calls.

import { fileURLToPath } from "node:url";
import type { Journals } from "./journals.ts";
import { ask } from "./native.ts";
import { atMost, type Row } from "./rows.ts";
import { median } from "./samples.ts";

const SECTION = "resident memory of Node with the addon";
const MOST_MORE_MB = 64;
const GATEWAY = fileURLToPath(new URL("./memory-gateway.ts", import.meta.url));

export async function memoryRows({ empty, large, inWindow }: Journals): Promise<Row[]> {
  const journals = [empty, large, inWindow];
  const measured = new Map<string, number[]>(journals.map(({ dir }) => [dir, []]));
  for (let round = 0; round < 3; round += 1) {
    for (const { dir } of journals) {
      const args = ["--expose-gc", "--disable-warning=ExperimentalWarning", GATEWAY, dir];
      const { bytes } = await ask<{ bytes: number }>(process.execPath, args);
      measured.get(dir)?.push(bytes / 1e6);
    }
  }
  const base = median(measured.get(empty.dir) ?? []);
  return journals.map(({ name, dir, lines }) => {
    const mb = median(measured.get(dir) ?? []);
    const target = atMost(MOST_MORE_MB, mb - base, "MB", `≤ ${MOST_MORE_MB} MB more than empty`);
    return { section: SECTION, name, unit: "MB", p50: mb, targets: lines === 0 ? [] : [target] };
  });
}
