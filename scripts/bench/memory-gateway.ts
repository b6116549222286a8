// One gateway for memory.ts: opens the journal in the folder that it is given, makes 1,000 calls, and prints its resident memory.

import { KINDS, newCall } from "./calls.ts";
import { Product } from "./product.ts";

const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error("usage: memory-gateway.ts DIRECTORY");
const product = new Product(dir, "os");
await product.open();
const kinds = [KINDS.read, KINDS.write, KINDS.command, KINDS.message, KINDS.mailTool];
for (let done = 0; done < 200; done += 1) for (const kind of kinds) await product.settled(newCall(kind, 100));
await product.maintain();
globalThis.gc?.();
console.log(JSON.stringify({ bytes: process.memoryUsage.rss() }));
await product.close();
