// Writes src/wires/grpc/messages/gen from proto/, with buf and protoc-gen-es of the dev dependencies: `node scripts/generate.mjs [folder]`.
import { readFileSync } from "node:fs";
import process from "node:process";
import { findBin, root, runOrThrow } from "./runtimes.mjs";

const OUT = /^(\s+out: ).*$/m;
const [folder] = process.argv.slice(2);
const template = readFileSync(new URL("../buf.gen.yaml", import.meta.url), "utf8");
const chosen = folder === undefined ? template : template.replace(OUT, (_, head) => `${head}${JSON.stringify(folder)}`);
runOrThrow(findBin("buf"), ["generate", "--template", chosen], { cwd: root });
