// Runs test files, so many at a time, in the order that they are given in: `node --test` sorts them by their names, and one of the longest that
// begins last is waited for by all others.

import { run } from "node:test";
import { spec } from "node:test/reporters";

const [atOnce, ...files] = process.argv.slice(2);
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort());

run({ files, concurrency: Number(atOnce), signal: stopped.signal })
  .on("test:fail", ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
