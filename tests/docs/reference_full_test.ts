/** What `deno doc` shows of the front door, which the pages of JSR show too. It lists the members of an interface, not those of its bases. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ServerOptions } from "../../mod.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** TypeScript refuses a missing or unknown name. */
const OPTIONS: Readonly<Record<keyof ServerOptions, true>> = {
  name: true,
  version: true,
  title: true,
  description: true,
  instructions: true,
  websiteUrl: true,
  icons: true,
  tools: true,
  parts: true,
  resources: true,
  prompts: true,
  wires: true,
  basePath: true,
  discovery: true,
  auth: true,
  hosts: true,
  origins: true,
  cors: true,
  middleware: true,
  onError: true,
  timeoutMs: true,
  limits: true,
  unknownArguments: true,
  config: true,
  logger: true,
  keys: true,
  engine: true,
  schedules: true,
  onComplete: true,
  work: true,
  jobMiddleware: true,
  changes: true,
  clock: true,
};

interface Documented {
  readonly name: string;
  readonly jsDoc?: { readonly doc?: string };
}

test("deno doc shows each option of createServer, and what it is for", () => {
  const deno = join(ROOT, "node_modules/.bin/deno");
  const output = execFileSync(deno, ["doc", "--json", "--quiet", "mod.ts"], { cwd: ROOT, maxBuffer: 1 << 28 });
  const [front] = Object.values(JSON.parse(`${output}`).nodes) as [
    { symbols: { name: string; declarations: unknown }[] },
  ];
  const [options] = front.symbols.find(({ name }) => name === "ServerOptions")?.declarations as [
    { readonly def: { readonly properties: readonly Documented[] } },
  ];
  const { properties } = options.def;
  deepStrictEqual(properties.map(({ name }) => name).sort(), Object.keys(OPTIONS).sort());
  for (const { name, jsDoc } of properties) ok(jsDoc?.doc, `${name} has no documentation`);
});
