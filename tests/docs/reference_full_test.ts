/** What `deno doc` shows of the front door, which the pages of JSR show too. It lists the members of an interface, not those of its bases. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ClientOptions, ServerOptions } from "../../mod.ts";
import type { McpTransportOptions } from "../../src/entries/mcp.ts";
import type { ServeOptions } from "../../src/entries/serve.ts";

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

const CLIENT: Readonly<Record<keyof ClientOptions, true>> = {
  headers: true,
  fetch: true,
  maxResponseBytes: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  retry: true,
  onElicitation: true,
  onMoreRequested: true,
};

const MCP: Readonly<Record<keyof McpTransportOptions, true>> = {
  headers: true,
  fetch: true,
  maxResponseBytes: true,
  clientInfo: true,
  era: true,
  pinned: true,
  allTools: true,
  logger: true,
};

const SERVE: Readonly<Record<keyof ServeOptions, true>> = {
  port: true,
  hostname: true,
  graceMs: true,
  signals: true,
  banner: true,
  tls: true,
  grpc: true,
};

for (
  const [entry, name, all] of [
    ["mod.ts", "ServerOptions", OPTIONS],
    ["mod.ts", "ClientOptions", CLIENT],
    ["src/entries/mcp.ts", "McpTransportOptions", MCP],
    ["src/entries/serve.ts", "ServeOptions", SERVE],
  ] as const
) {
  test(`deno doc shows each member of ${name}, and what it is for`, () => {
    const deno = join(ROOT, "node_modules/.bin/deno");
    const output = execFileSync(deno, ["doc", "--json", "--quiet", entry], { cwd: ROOT, maxBuffer: 1 << 28 });
    const [front] = Object.values(JSON.parse(`${output}`).nodes) as [
      { symbols: { name: string; declarations: unknown }[] },
    ];
    const [options] = front.symbols.find((symbol) => symbol.name === name)?.declarations as [
      { readonly def: { readonly properties: readonly Documented[] } },
    ];
    const { properties } = options.def;
    deepStrictEqual(properties.map((property) => property.name).sort(), Object.keys(all).sort());
    for (const { name, jsDoc } of properties) ok(jsDoc?.doc, `${name} has no documentation`);
  });
}
