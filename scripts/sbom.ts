// The bill of materials of what is built for a platform, in CycloneDX: the crates that are linked into its native parts, and the packages that the
// page was made of. Made from what `notices.ts` and the page's build know, so that no list has to be kept, and nothing be installed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXTENSION, writeJson } from "./build.ts";
import { linked, metadata } from "./notices.ts";
import { TaskError } from "./run.ts";

/** Where it lies in what is published. */
export const SBOM = "sbom.cdx.json";

interface Component {
  type: "library";
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  licenses: Array<{ expression: string }>;
}

/** Writes the bill of materials of what is built for `target`, a triple of Rust's. The same parts give the same file. */
export function writeBillOfMaterials(file: string, target: string, version: string): void {
  const crates = linked(metadata(target)).map(({ name, version, license }) => component("cargo", name, version, license ?? ""));
  writeJson(file, {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": "callosum",
        name: "callosum",
        version,
        licenses: [{ license: { id: "MIT" } }],
      },
      properties: [{ name: "callosum:target", value: target }],
    },
    components: [...crates, ...partsOfPage(readFileSync(join(EXTENSION, "page", "licenses.txt"), "utf8"))],
  });
}

/** What the page was made of, by the licences that its build collects: a heading for each package. */
export function partsOfPage(notices: string): Component[] {
  const headings = [...notices.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)];
  if (headings.length === 0) throw new TaskError("page/licenses.txt names no package: correct scripts/sbom.ts");
  return headings.map(([, name = "", version = "", license = ""]) => component("npm", name, version, license));
}

function component(registry: "cargo" | "npm", name: string, version: string, license: string): Component {
  const purl = `pkg:${registry}/${name.replace("@", "%40")}@${version}`;
  // As crates once wrote a choice.
  const expression = license.replaceAll(/\s*\/\s*/g, " OR ");
  return { type: "library", "bom-ref": purl, name, version, purl, licenses: [{ expression }] };
}
