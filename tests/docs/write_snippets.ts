/** Writes each snippet of the pages that runs into a folder, with imports from npm, and prints the files: `bun write_snippets.ts <folder>`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findExamples, importFromNpm } from "./extract.ts";
import { checkShown } from "./shown.ts";

const [, , folder = "."] = process.argv;
const root = fileURLToPath(new URL("../..", import.meta.url));
const snippets = findExamples(root).filter(({ place, kind }) => place.includes(".md:") && kind === "run");
const written = snippets.map(({ place, code }) => {
  const file = join(folder, `${place.replaceAll(/\W+/g, "_")}.ts`);
  writeFileSync(file, `${checkShown(importFromNpm(code), place)}\nexport {};\n`);
  const packages = Array.from(code.matchAll(/from "((?:@[\w-]+\/)?[a-z][\w.-]*)[^":]*"/g), ([, name = ""]) => name);
  return { place, file, packages };
});
console.log(JSON.stringify(written));
