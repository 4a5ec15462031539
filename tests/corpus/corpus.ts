/**
 * The tool lists of published MCP servers: some 700 real tools. The packages of package.json are installed into
 * `.cache/corpus` and started over stdio; what they list is kept there until package.json or bun.lock changes.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCoreClient } from "../../src/client/core_client.ts";
import { stdioTransport } from "../../src/entries/stdio.ts";
import type { ListedTool } from "../../src/core/call/transport.ts";
import { root, runProgram } from "../serve/programs.ts";
import { CORPUS_ARGS, CORPUS_ENV } from "./servers.ts";

/** One published server. */
export interface CorpusServer {
  /** npm package. */
  readonly name: string;
  /** Tools as the server lists them. */
  readonly tools: readonly ListedTool[];
}

const SOURCE = join(root, "tests/corpus");
const FOLDER = join(root, ".cache/corpus");
const MANIFEST_FILES = ["package.json", "bun.lock"];
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * Reads the tool lists of all servers, in the order of package.json.
 *
 * @param bun The program that installs them.
 * @param node The program that runs them.
 * @throws {Error} If the packages cannot be installed.
 */
export async function readCorpus(bun: string, node: string): Promise<readonly CorpusServer[]> {
  const files = await Promise.all(MANIFEST_FILES.map((file) => readFile(join(SOURCE, file), "utf8")));
  const digest = createHash("sha256").update(files.join("\0")).digest("hex").slice(0, 16);
  const kept = join(FOLDER, `lists-${digest}.json`);
  if (existsSync(kept)) return JSON.parse(await readFile(kept, "utf8"));
  await installServers(bun);
  const names = Object.keys(JSON.parse(files[0] ?? "").dependencies);
  const servers: CorpusServer[] = [];
  for (const name of names) servers.push({ name, tools: await listTools(name, node) });
  await writeFile(kept, JSON.stringify(servers));
  return servers;
}

/** Installs the packages without their scripts. */
async function installServers(bun: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const file of MANIFEST_FILES) await cp(join(SOURCE, file), join(FOLDER, file));
  const command = [bun, "install", "--frozen-lockfile", "--ignore-scripts", "--omit=optional"];
  const { code, stderr } = await runProgram(command, { cwd: FOLDER, withinMs: INSTALL_TIMEOUT_MS });
  if (code !== 0) throw new Error(`Cannot install the packages of tests/corpus: ${stderr.trim()}`);
}

async function listTools(name: string, node: string): Promise<readonly ListedTool[]> {
  const folder = join(FOLDER, "node_modules", name);
  const { bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const program = join(folder, typeof bin === "string" ? bin : Object.values<string>(bin)[0] ?? "");
  const options = { cwd: FOLDER, env: { ...CORPUS_ENV, HOME: FOLDER }, stderr: "ignore" } as const;
  const client = createCoreClient(stdioTransport(node, [program, ...CORPUS_ARGS[name] ?? []], options));
  try {
    return await client.$.list();
  } finally {
    client.$.close();
  }
}
