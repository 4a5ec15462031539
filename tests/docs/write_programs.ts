/** Writes the snippets of the documentation as programs to type-check, or names places in the output of a compiler: `bun write_programs.ts <folder> [output]`. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findPrograms, namePlaces, writePrograms } from "./programs.ts";

const [, , folder = ".", output] = process.argv;
const programs = findPrograms(fileURLToPath(new URL("../..", import.meta.url)), ["run", "check", "fragment"]);
if (output === undefined) writePrograms(folder, programs);
else console.log(namePlaces(output, programs));
