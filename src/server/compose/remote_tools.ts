/** Converts the tools of a remote server's list, with limits and without unsafe parts. */
import { isSystemTool } from "../../core/call/transport.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import { toValidate } from "../../core/json_schema/check.ts";
import { MORE_TOOL } from "../../core/dispatch/answers/handle.ts";
import { compileForeignCheck } from "../../core/json_schema/foreign.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject } from "../../internal/json.ts";
import { mapParts } from "../../core/json_schema/subschemas.ts";
import { checkPin } from "../../wires/mcp/client/pins.ts";
import type { CompiledSchema } from "../../core/schema/compile.ts";
import type { JsonSchema } from "../../core/schema/standard_schema.ts";
import { SCHEMA_ADAPTERS } from "../../core/schema/all_adapters.ts";
import { EMPTY_DEFINITION } from "../../core/tool/definition.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { GatewayOptions } from "./gateway_types.ts";
import { isMore } from "./remote_pages.ts";
import type { ToolAnnotations } from "../../core/handler/middleware.ts";

/** A remote tool: its listing, and its definition here. */
export interface FoundRemoteTool {
  readonly listing: ListedTool;
  /** Definition without a runner. */
  readonly definition: ToolDefinition;
}

const DEFAULT_ENTRIES = 256;
const DEFAULT_CHARS = 1_048_576;

/** Maximum nesting of a listing. */
const MAX_DEPTH = 100;

/**
 * Makes tools of a remote server's list: selects, renames and checks them. Unusable ones are left out.
 *
 * @param warn Receives one warning, if tools are left out.
 * @throws {ToolError} `result_too_large`, if the list is too large.
 */
export function readTools(
  listed: unknown,
  gateway: string,
  options: GatewayOptions,
  warn: (problem: string) => void,
): readonly FoundRemoteTool[] {
  const { select = () => true, rename = toName, pinned } = options;
  const all = bounded(listed, gateway, options).filter(isTool);
  const tools = all.filter((tool) => !isSystemTool(tool) && !isMore(tool) && select(tool));
  const continuationTool = all.some(isMore) ? MORE_TOOL : undefined;
  const names = new Set<string>();
  const problems: string[] = [];
  const read = tools.flatMap((tool): FoundRemoteTool[] => {
    const changed = pinned && checkPin(pinned, tool.name, tool);
    const read = changed === undefined ? toDefinition(tool, rename(tool.name), gateway) : changed.message;
    const problem = typeof read !== "string" ? undefined : read;
    if (typeof read === "string" || names.has(read.name)) {
      problems.push(problem ?? `two tools would be called "${(read as ToolDefinition).name}"; the first one is`);
      return [];
    }
    names.add(read.name);
    return [{ listing: tool, definition: { ...read, continuationTool } }];
  });
  const more = problems.length - MAX_NAMED;
  if (problems.length > 0) warn(problems.slice(0, MAX_NAMED).join("; ") + (more > 0 ? `; and ${more} more` : ""));
  return read;
}

/** Maximum number of tools that are left out and that a warning names. A hostile list has thousands. */
const MAX_NAMED = 3;

/**
 * Returns the objects in a list of the server, and drops other entries. A value that is not an array is an empty list.
 *
 * @throws {ToolError} `result_too_large`, if the list exceeds a limit on entries, characters or nesting.
 */
export function bounded(
  listed: unknown,
  gateway: string,
  options: GatewayOptions,
): readonly Readonly<Record<string, unknown>>[] {
  const { maxListed = DEFAULT_ENTRIES, maxListChars = DEFAULT_CHARS } = options;
  const refuse = (problem: string): never => {
    throw new ToolError("result_too_large", `The server "${gateway}" is not used: ${problem}`);
  };
  if (!Array.isArray(listed)) return [];
  if (listed.length > maxListed) return refuse(`one list has ${listed.length} entries; at most ${maxListed} are taken`);
  if (isDeeperThan(listed, MAX_DEPTH)) return refuse(`its list nests deeper than ${MAX_DEPTH}`);
  const { length } = JSON.stringify(listed);
  if (length > maxListChars) return refuse(`its list has ${length} characters; at most ${maxListChars} are taken`);
  return listed.filter(isJsonObject);
}

function isTool(listed: object): listed is ListedTool {
  return "name" in listed && typeof listed.name === "string";
}

/** Iterative, since deep nesting would overflow the stack of a recursive function. */
function isDeeperThan(value: unknown, most: number): boolean {
  const open: (readonly [value: unknown, depth: number])[] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    if (typeof node !== "object" || node === null) continue;
    if (depth > most) return true;
    for (const member of Object.values(node)) open.push([member, depth + 1]);
  }
  return false;
}

/** Whether a listed tool is the system tool `redeem`, which means that the server gives promises. */
export function isRedeem(tool: ListedTool): boolean {
  return tool?.name === "redeem" && isSystemTool(tool);
}

function toName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 64);
}

/** Converts a tool, or returns the reason why it is refused. */
function toDefinition(tool: ListedTool, name: string, gateway: string): ToolDefinition | string {
  const {
    description,
    inputSchema = { type: "object" },
    outputSchema,
    annotations,
    title,
    _meta: meta,
    "@type": type,
  } = tool;
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) return `no tool can be called ${quote(name)}`;
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object") {
    return `the inputSchema of ${quote(tool.name)} is no schema of an object`;
  }
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    return `the outputSchema of ${quote(tool.name)} is no schema`;
  }
  const input = toSchema(inputSchema);
  return {
    ...EMPTY_DEFINITION,
    name,
    description: textOf(description) ?? `The tool ${name} of the server ${gateway}`,
    type: textOf(type),
    title: textOf(title),
    inputSchema: input.jsonSchema,
    input,
    adapters: SCHEMA_ADAPTERS,
    output: outputSchema && toSchema(outputSchema),
    annotations: isJsonObject(annotations) ? hintsOf(annotations) : undefined,
    meta: isJsonObject(meta) ? meta : undefined,
    // The remote runner calls it.
    handler: () => undefined,
  };
}

function toSchema(listed: JsonSchema): CompiledSchema {
  return { jsonSchema: withoutHeaders(listed), validate: toValidate(compileForeignCheck(listed)) };
}

/** Drops `x-mcp-header`, which concerns only the gateway and the server, and would be refused over MCP if malformed. */
function withoutHeaders(schema: JsonSchema): JsonSchema {
  const { "x-mcp-header": _header, $schema: _dialect, ...kept } = schema;
  return mapParts(kept, withoutHeaders);
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function hintsOf(annotations: Readonly<Record<string, unknown>>): ToolAnnotations {
  const title = textOf(annotations["title"]);
  const hints = HINTS.filter((hint) => typeof annotations[hint] === "boolean").map((hint) => [hint, annotations[hint]]);
  return { ...(title !== undefined && { title }), ...Object.fromEntries(hints) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function quote(text: unknown): string {
  return JSON.stringify(String(text).slice(0, 64));
}
