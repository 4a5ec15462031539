/** The resources and prompts of a remote MCP server as resources and prompts of this one. */
import type { ContentAnnotations, Icon, PromptMessage } from "../../core/call/content.ts";
import { createContentCatalog } from "../../core/content/create_content_catalog.ts";
import type { Completer, Completers } from "../../core/content/completion.ts";
import type { PromptDefinition } from "../../core/content/prompt.ts";
import type { ResourceDefinition, ResourcePartAt } from "../../core/content/resource.ts";
import { namesScheme, UriTemplate } from "../../core/content/uri_template/uri_template.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { McpCompletionRequest, McpRequestOptions, McpTransport } from "../../wires/mcp/client/types.ts";
import type { CompiledSchema } from "../../core/schema/compile.ts";
import type { Prompt, Resource } from "../../core/content/content_catalog.ts";
import { toLocalUri, toRemoteUri, unlistedViews } from "./remote_views.ts";

type Members = Readonly<Record<string, unknown>>;

/** What reading the lists of a remote MCP server needs: its transport, its capabilities, limits and warnings. */
export interface RemoteMcpServer {
  readonly mcp: McpTransport;
  /** Name of the server here. */
  readonly gateway: string;
  readonly capabilities: Members;
  /** Whether the server has views. */
  readonly views: boolean;
  /** Checks a list of the server against the limits, and returns its objects. Throws `ToolError` if it is too large. */
  bound(listed: unknown): readonly Members[];
  /** Aborts the listing. */
  readonly signal: AbortSignal;
  /** Whether the error means that the server does not have a method. The first time, this logs a warning. */
  isMissing(method: string, error: unknown): boolean;
  /** Receives a warning for each entry that is left out. */
  warn(problem: string): void;
}

/** Resources and resource templates of the server. Rejects with `ToolError` if they cannot be listed. */
export async function resourcesOf(server: RemoteMcpServer): Promise<readonly Resource[]> {
  const { mcp: { resources }, capabilities } = server;
  if (!isJsonObject(capabilities["resources"])) return [];
  const fixed = await listOf(server, "resources/list", resources.list);
  const templates = await listOf(server, "resources/templates/list", resources.templates);
  const definitions = [
    ...fixed.map((listed) => toResource(server, listed, listed["uri"], false)),
    ...templates.map((listed) => toResource(server, listed, listed["uriTemplate"], true)),
    // Views need not be listed, and a later list of the tools may name others.
    ...(server.views ? [unlistedViews(toResource(server, {}, "ui://{+path}", true))] : []),
  ];
  return unique(definitions, ({ uri }) => uri, server).map((definition) => {
    return { uri: definition.uri, "~resource": definition, "~catalog": createContentCatalog };
  });
}

/** Prompts of the server. Rejects with `ToolError` if they cannot be listed. */
export async function promptsOf(server: RemoteMcpServer): Promise<readonly Prompt[]> {
  const { mcp: { prompts }, capabilities } = server;
  if (!isJsonObject(capabilities["prompts"])) return [];
  const definitions = (await listOf(server, "prompts/list", prompts.list)).map((listed) => toPrompt(server, listed));
  return unique(definitions, ({ name }) => name, server).map((definition) => {
    return { name: definition.name, "~prompt": definition, "~catalog": createContentCatalog };
  });
}

/** Reads a list. A list that the server does not have is empty. */
async function listOf(
  { bound, isMissing, signal }: RemoteMcpServer,
  method: string,
  list: (options: McpRequestOptions) => Promise<unknown>,
): Promise<readonly Members[]> {
  try {
    // The gateway has its own time limit for all lists.
    return bound(await list({ signal, timeoutMs: Infinity }));
  } catch (thrown) {
    if (isMissing(method, thrown)) return [];
    throw thrown;
  }
}

/** Keeps the first of each name; an entry that is a string is the reason why it was refused. */
function unique<Definition extends object>(
  definitions: readonly (Definition | string)[],
  keyOf: (definition: Definition) => string,
  { warn }: RemoteMcpServer,
): readonly Definition[] {
  const found = new Map<string, Definition>();
  for (const definition of definitions) {
    if (typeof definition === "string") warn(definition);
    else if (found.has(keyOf(definition))) {
      warn(`two are called ${JSON.stringify(keyOf(definition))}; the first one is`);
    } else found.set(keyOf(definition), definition);
  }
  return [...found.values()];
}

function toResource(
  server: RemoteMcpServer,
  listed: Members,
  remoteUri: unknown,
  isTemplate: boolean,
): ResourceDefinition | string {
  const { mcp, gateway } = server;
  if (typeof remoteUri !== "string" || remoteUri === "") return "a resource has no URI";
  const uri = toLocalUri(gateway, remoteUri);
  // A template without a literal scheme could match the URIs of other servers.
  if (!namesScheme(uri)) {
    return `no resource can be at ${JSON.stringify(uri.slice(0, 128))}: it has no scheme, or spaces`;
  }
  const { size } = listed;
  try {
    const template = isTemplate ? new UriTemplate(uri) : undefined;
    return {
      ...commonOf(listed),
      uri,
      template,
      name: textOf(listed["name"]) ?? uri,
      description: textOf(listed["description"]),
      mimeType: textOf(listed["mimeType"]),
      annotations: isJsonObject(listed["annotations"]) ? listed["annotations"] as ContentAnnotations : undefined,
      size: typeof size === "number" ? size : undefined,
      completers: completersOf(server, template?.variables ?? [], { type: "ref/resource", uri: remoteUri }),
      remote: mcp,
      isListed: true,
      extension: undefined,
      list: undefined,
      reader: async (_, { signal, principal }, wanted) => {
        const options = { signal, principal };
        const contents = await reached(gateway, () => mcp.resources.read(toRemoteUri(gateway, wanted), options));
        return contents.map(({ _meta: meta, uri: own, ...part }) =>
          ({
            ...part,
            ...(typeof own === "string" && { uri: toLocalUri(gateway, own) }),
            ...(meta !== undefined && { meta }),
          }) as ResourcePartAt
        );
      },
    };
  } catch (thrown) {
    return `the template ${JSON.stringify(uri.slice(0, 128))} cannot be matched: ${(thrown as Error).message}`;
  }
}

function toPrompt(server: RemoteMcpServer, listed: Members): PromptDefinition | string {
  const { mcp, gateway } = server;
  const { name, arguments: args } = listed;
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    return `no prompt can be called ${JSON.stringify(String(name).slice(0, 64))}`;
  }
  const taken = (Array.isArray(args) ? args : []).filter((arg) =>
    isJsonObject(arg) && textOf(arg["name"]) !== undefined
  );
  const names = taken.map((arg) => String(arg["name"]));
  return {
    ...commonOf(listed),
    name,
    description: textOf(listed["description"]) ?? `The prompt ${name} of the server ${gateway}`,
    arguments: taken,
    input: textInput(taken.filter((arg) => arg["required"] === true).map((arg) => String(arg["name"]))),
    completers: completersOf(server, names, { type: "ref/prompt", name }),
    handler: async (given, { signal, principal }) => {
      const options = { signal, principal };
      const got = await reached(gateway, () => mcp.prompts.get(name, given as Record<string, string>, options));
      return { description: textOf(got.description), messages: got.messages as readonly PromptMessage[] };
    },
  };
}

function commonOf({ title, icons, _meta: meta }: Members) {
  return {
    title: textOf(title),
    icons: Array.isArray(icons) ? icons as readonly Icon[] : undefined,
    meta: isJsonObject(meta) ? meta : undefined,
    scopes: [],
    part: undefined,
  };
}

function completersOf(
  { mcp, gateway, capabilities }: RemoteMcpServer,
  names: readonly string[],
  ref: McpCompletionRequest["ref"],
): Completers {
  if (!isJsonObject(capabilities["completions"])) return {};
  const completerOf = (name: string): Completer => (value, { signal, principal }, given) => {
    const request = { ref, argument: { name, value }, context: { arguments: given } };
    return reached(gateway, () => mcp.complete(request, { signal, principal }));
  };
  return Object.fromEntries(names.map((name) => [name, completerOf(name)]));
}

/** Arguments are text; the server validates them. */
function textInput(required: readonly string[]): CompiledSchema {
  const jsonSchema = { type: "object", required, additionalProperties: { type: "string" } };
  const validate = (value: unknown) => {
    const given: Members = isJsonObject(value) ? value : {};
    const missing = required.find((name) => typeof given[name] !== "string");
    const wrong = missing ?? Object.keys(given).find((name) => typeof given[name] !== "string");
    if (wrong === undefined) return { value };
    return { value, issues: [{ message: `Expected text as "${wrong}"`, path: [wrong], expected: "string" }] };
  };
  return { jsonSchema, validate };
}

/** Codes that are passed on to callers unchanged. */
const PASSED: ReadonlySet<string> = new Set([
  "internal",
  "resource_not_found",
  "prompt_not_found",
  "invalid_input",
  "rate_limited",
  "deadline_exceeded",
  "cancelled",
  "permission_denied",
  "result_too_large",
]);

async function reached<Value>(gateway: string, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ToolError && PASSED.has(cause.code)) throw cause;
    const details = { server: gateway, retry_after_ms: 1_000 };
    throw new ToolError("unavailable", `The server "${gateway}" cannot be reached; try again later`, {
      details,
      cause,
    });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
