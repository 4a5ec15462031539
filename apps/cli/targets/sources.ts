/**
 * Lists of servers, from targets and from documents: files and URLs that end in `.json`.
 *
 * A document is what `toolwire list --json` prints, an array of tools, the metadata of a webtool (as `toolwire pin` writes it), or an
 * OpenAPI document.
 */
import { listTool } from "../../../src/core/tool/listing.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { fetchWhole } from "../../../src/http_client/fetch_whole.ts";
import { isJsonObject, type Members, omitUndefined } from "../../../src/internal/json.ts";
import { toListedTool } from "../../../src/wires/webtools/client/metadata.ts";
import { CliError, withCauses } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import type { TargetConnection } from "./connection.ts";
import { type Contents, readContents } from "./contents.ts";
import { DEFAULT_TIMEOUT_MS, headersOf, readJsonFile, type TargetFlags } from "./flags.ts";
import { openTarget } from "./open.ts";
import { parseTarget, takeTarget } from "./target.ts";

/** The lists of a server, with the name of their source for people. */
export interface Source extends Contents {
  readonly tools: readonly ListedTool[];
  /** Name for people: the target, or the document that the lists were read from. Foreign text. */
  readonly label: string;
  /** Name of the server, if it supports MCP or is a module. Foreign text. */
  readonly serverName?: string;
}

/** Maximum size of a document that is fetched, in bytes. */
const MAX_BYTES = 16_777_216;

/**
 * Reads the lists of the first word of a command, a target or a document, or of the program after `--`. Returns the remaining words.
 *
 * @param isNamed Whether `serverName` is requested, too. Default: `false`.
 */
export async function readSource(
  words: readonly string[],
  flags: TargetFlags,
  context: CliContext,
  isNamed: boolean = false,
): Promise<{ readonly source: Source; readonly rest: readonly string[] }> {
  const [first, ...others] = words;
  if (context.program === undefined && first !== undefined && /\.json$/i.test(pathOf(first))) {
    return { source: await readDocument(first, flags, context), rest: others };
  }
  const { target, rest } = takeTarget(words, context);
  const connection = await openTarget(target, flags, context, { signal: context.interruption() });
  try {
    const contents = await readContents(connection, EVERY_LIST, flags, context.interruption());
    const serverName = isNamed ? await readName(connection) : undefined;
    return { source: { tools: [], ...contents, label: connection.label, ...omitUndefined({ serverName }) }, rest };
  } finally {
    await connection.close();
  }
}

/** `undefined` for a server that does not support MCP: no other protocol has the name. */
async function readName(connection: TargetConnection): Promise<string | undefined> {
  const mcp = await connection.mcp();
  return mcp && (await mcp.server().catch(() => undefined))?.info?.name;
}

const EVERY_LIST = ["tools", "resources", "resourceTemplates", "prompts"] as const;

/** The path of a URL, or the word itself. */
function pathOf(word: string): string {
  return isUrl(word) ? new URL(word).pathname : word;
}

function isUrl(word: string): boolean {
  return /^https?:\/\//i.test(word) && URL.canParse(word);
}

async function readDocument(word: string, flags: TargetFlags, { host }: CliContext): Promise<Source> {
  const json = isUrl(word)
    ? await fetchDocument(new URL(word), flags, host.env)
    : readJsonFile(word, host.cwd, "the target");
  return { label: word, ...await toContents(json, word) };
}

async function fetchDocument(url: URL, flags: TargetFlags, env: CliContext["host"]["env"]): Promise<unknown> {
  const { timeout: timeoutMs = DEFAULT_TIMEOUT_MS } = flags;
  const headers = { accept: "application/json", ...headersOf(flags, env) };
  const response = await fetchWhole(url, { headers }, { maxBytes: MAX_BYTES, timeoutMs });
  if (!response.ok) {
    throw new CliError(EXIT.unreachable, `${url.origin} answered ${response.status} in place of a document`, {
      code: "unavailable",
      step: "fetch",
      url: url.href,
    });
  }
  try {
    return await response.json();
  } catch (cause) {
    throw new CliError(EXIT.usage, `The document at ${url.origin} is not JSON`, { url: url.href, cause });
  }
}

/** Returns the lists of a document. @throws {CliError} If it has none. */
async function toContents(json: unknown, label: string): Promise<Contents & Pick<Source, "tools">> {
  if (isJsonObject(json) && typeof json["openapi"] === "string") return { tools: await toolsOfApi(json, label) };
  if (isJsonObject(json) && Array.isArray(json["actions"])) {
    return { tools: checkTools(json["actions"], label).map((action) => toListedTool(action as never)) };
  }
  if (Array.isArray(json)) return { tools: checkTools(json, label) };
  if (!isJsonObject(json) || !Array.isArray(json["tools"])) throw noLists(label);
  const contents: Record<string, readonly Members[]> = {};
  for (const list of EVERY_LIST) {
    const items = json[list];
    if (Array.isArray(items)) contents[list] = items.filter(isJsonObject);
  }
  return { ...contents, tools: checkTools(json["tools"], label) };
}

/** @throws {CliError} If an entry is not a tool. */
function checkTools(tools: readonly unknown[], label: string): readonly ListedTool[] {
  const index = tools.findIndex((tool) => !isJsonObject(tool) || typeof tool["name"] !== "string");
  if (index === -1) return tools as readonly ListedTool[];
  throw new CliError(EXIT.usage, `The tools of ${label} are not a list of tools: entry ${index} has no name`);
}

function noLists(label: string): CliError {
  return new CliError(EXIT.usage, `${label} has no list of tools`, {
    hint: "A document is the output of toolwire list --json, an array of tools, a file of toolwire pin, or OpenAPI",
  });
}

async function toolsOfApi(document: Members, label: string): Promise<readonly ListedTool[]> {
  const { toolsFromOpenApi } = await import("../../../src/entries/openapi.ts");
  try {
    // The operations are not called, so that any base will do.
    const tools = toolsFromOpenApi(document, { baseUrl: "http://localhost", onLeftOut: () => {} });
    return tools.map((tool) => ({ ...listTool(tool["~definition"]) }));
  } catch (cause) {
    throw new CliError(EXIT.usage, `Cannot read the API of ${label}: ${withCauses(cause)}`, { cause });
  }
}

/** Checks that a command has no words left. @throws {CliError} If there is one. */
export function assertNoMore(rest: readonly string[]): void {
  const [first] = rest;
  if (first !== undefined) throw new CliError(EXIT.usage, `There is one argument too many: ${JSON.stringify(first)}`);
}

/** Reads the two sources that a command compares, one after the other. @throws {CliError} If there are not exactly two words. */
export async function readTwoSources(
  [before, after, ...rest]: readonly string[],
  flags: TargetFlags,
  context: CliContext,
): Promise<readonly [Source, Source]> {
  assertNoMore(rest);
  if (before === undefined || after === undefined) {
    throw new CliError(EXIT.usage, "Two sources are needed: the one before, and the one after", {
      hint: "Each is a target, or a file that toolwire list --json wrote",
    });
  }
  // A name in a host's configuration would be understood as a typo of a file, so that both are parsed before one is opened.
  for (const word of [before, after]) if (!/\.json$/i.test(pathOf(word))) parseTarget(word, context.host.cwd);
  const first = await readSource([before], flags, context);
  return [first.source, (await readSource([after], flags, context)).source];
}
