// Builds the web page: one classic script, one style sheet and what lies in `static`, with no module loading at run time. In a sandboxed
// frame the page's origin is opaque, and there a module script would need CORS.

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { ROOT } from "./run.ts";

const SOURCE = join(ROOT, "plugin", "page");

/** Builds the page into the folder `into`. */
export async function buildPage(into: string): Promise<void> {
  await build({
    root: SOURCE,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: "warn",
    plugins: [react()],
    build: {
      outDir: into,
      emptyOutDir: true,
      target: ["chrome123", "firefox120", "safari17.5"],
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      license: { fileName: "licenses.txt" },
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        input: join(SOURCE, "src", "main.tsx"),
        output: { format: "iife", codeSplitting: false, entryFileNames: "app.js", assetFileNames: "app[extname]" },
      },
    },
  });
  mkdirSync(into, { recursive: true });
  cpSync(join(SOURCE, "index.html"), join(into, "index.html"));
  cpSync(join(SOURCE, "static"), into, { recursive: true });
}
