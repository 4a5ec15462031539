/** Serves an OpenAPI document of a server. */
import { chain } from "../../internal/future.ts";
import { checkOptions, PATH } from "../../internal/options.ts";
import { JSON_HEADERS, mountPath } from "../../wires/framing/http.ts";
import { DocumentCache, documentReply, openApiDocument } from "../../wires/framing/openapi.ts";
import { errorReply } from "../../wires/framing/json_rpc/reply.ts";
import {
  type Head,
  HeadPeer,
  type MountedPaths,
  type MountedWire,
  type OpenApiParts,
  type Reply,
  type RequestWire,
  type WireHost,
} from "../../wires/wire.ts";
import type { ToolListing } from "../../core/tool/listing.ts";
import { componentRef, inputComponent, toolComponents } from "../../core/json_schema/components.ts";

/** Options of {@link openapiPage}. */
export interface OpenApiOptions {
  /** Path of the document. Default: `/openapi.json`. */
  readonly path?: string | undefined;
}

/**
 * Creates a wire that serves an OpenAPI 3.1 document of the REST, MCP-lite and Webtools wires of its server, with the tools that
 * are visible to the caller.
 *
 * @example A document of MCP-lite
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 * import { openapiPage } from "jsr:@toolwire/toolwire/openapi";
 * import { ok } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcpLite(), openapiPage()] });
 * const response = await server.fetch(new Request("http://localhost/openapi.json"));
 * const document = JSON.parse(await response.text());
 * ok(document.paths["/mcp-lite/v1/calltools"].post);
 * ```
 * @throws {TypeError} If the path is invalid, or an option is unknown.
 */
export function openapiPage(options: OpenApiOptions = {}): RequestWire {
  checkOptions<OpenApiOptions>("serve OpenAPI", options, { path: PATH });
  const { path = "/openapi.json" } = options;
  return { name: WIRE_NAME, mount: (host) => mountOpenApi(host, path) };
}

const WIRE_NAME = "openapi";

function mountOpenApi(host: WireHost, path: string): MountedWire {
  const documents = new DocumentCache();
  const answer = (head: Head): Promise<Reply> => {
    const { allTools = host } = host;
    const tools = allTools.toolsFor(head.principal);
    const mount = mountPath(head);
    const make = () => JSON.stringify(describeServer(host, tools, mount));
    const document = documents.get(host.definitions, tools, mount, make);
    return documentReply(head, document, host.definitions.some(({ isVisible }) => isVisible !== undefined));
  };
  return {
    paths: [path],
    methods: ["GET", "HEAD"],
    exposedHeaders: ["etag"],
    handle(head) {
      if (head.method === "GET" || head.method === "HEAD") {
        const admitted = host.admitList("list:document", new HeadPeer(head, WIRE_NAME, undefined, false));
        return chain(admitted, (error) => error === undefined ? answer(head) : errorReply(null, error));
      }
      const message = `${head.method} is not allowed here: use GET`;
      const body = JSON.stringify({ error: { code: "invalid_request", message } });
      return { status: 405, headers: { ...JSON_HEADERS, allow: "GET, HEAD" }, body };
    },
  };
}

type Node = Readonly<Record<string, unknown>>;

const OBJECT: Node = { type: "object" };

/** Makes the document for a caller to whom these tools are visible. */
function describeServer({ info, mounted, catalog }: WireHost, tools: readonly ToolListing[], mount: string): Node {
  const hasPrompts = catalog?.hasPrompts === true;
  const paths = mounted.flatMap((wire) => describeWire(wire, tools, hasPrompts));
  const schemas = Object.fromEntries(tools.flatMap(toolComponents));
  const own: OpenApiParts = { paths: Object.fromEntries(paths), components: { schemas } };
  return openApiDocument(info, [own, ...mounted.flatMap(({ describe }) => describe?.(tools) ?? [])], mount);
}

function describeWire({ wire, paths }: MountedPaths, tools: readonly ToolListing[], hasPrompts: boolean) {
  if (wire === "mcp-lite") return paths.map((path): [string, Node] => [path, mcpLitePath(path, tools, hasPrompts)]);
  return wire === "webtools" ? webtoolPaths(paths[0] ?? "") : [];
}

function mcpLitePath(path: string, tools: readonly ToolListing[], hasPrompts: boolean): Node {
  const list = { type: "array", items: OBJECT };
  switch (path.slice(path.lastIndexOf("/") + 1)) {
    case "listtools":
      return post(path, "List the tools", OBJECT, list, false);
    case "tools":
      return post(path, "List the tools, in an object", OBJECT, membersSchema({ tools: list }), false);
    case "prompts":
      return post(path, "List the prompts", OBJECT, membersSchema({ prompts: list }), false);
    default:
      return post(path, "Call a tool, by JSON-RPC 2.0", callSchema(tools, hasPrompts), CALL_RESULT, true);
  }
}

const ID: Node = { type: ["string", "integer"] };

const CALL_RESULT: Node = membersSchema({ jsonrpc: { const: "2.0" }, id: ID, result: OBJECT });

const CALL_ERROR: Node = membersSchema({
  jsonrpc: { const: "2.0" },
  id: { type: ["string", "integer", "null"] },
  error: membersSchema({ code: { type: "integer" }, message: { type: "string" } }),
});

function callSchema(tools: readonly ToolListing[], hasPrompts: boolean): Node {
  const calls = tools.map(({ name, description }) => ({
    title: name,
    description,
    ...membersSchema({
      method: { const: "tools/call" },
      params: {
        ...OBJECT,
        properties: { name: { const: name }, arguments: componentRef(inputComponent(name)), _meta: OBJECT },
        required: ["name"],
      },
    }),
  }));
  const others = ["tools/list", "ping", ...(hasPrompts ? ["prompts/list", "prompts/get"] : [])];
  return {
    ...membersSchema({ jsonrpc: { const: "2.0" }, id: ID, method: { type: "string" } }),
    anyOf: [...calls, membersSchema({ method: { enum: others } })],
  };
}

function post(path: string, summary: string, request: Node, result: Node, isCall: boolean): Node {
  const content = { ...jsonContent(result), ...(isCall && { "text/event-stream": { schema: { type: "string" } } }) };
  return {
    post: {
      operationId: `post${path.replaceAll(/[^A-Za-z0-9]+/g, "_")}`,
      summary,
      requestBody: { required: isCall, content: jsonContent(request) },
      responses: {
        200: { description: "The result", content },
        default: { description: "An error", content: jsonContent(CALL_ERROR) },
      },
    },
  };
}

/** The paths of a webtool. The schemas of its actions are in the metadata of each version, not here. */
function webtoolPaths(base: string): [string, Node][] {
  const metadata = { type: "object", required: ["name", "description", "version", "actions"] };
  const envelope = {
    ...OBJECT,
    properties: { status: { enum: ["ok", "error"] }, data: {}, error: OBJECT },
    required: ["status"],
  };
  const request = {
    ...OBJECT,
    properties: {
      action: { type: "string", description: "One of the actions of the metadata" },
      request: { ...OBJECT, description: "What the action's requestSchema in the metadata says" },
      config: OBJECT,
      version: { type: "string" },
      sessionId: { type: "string" },
      _meta: OBJECT,
    },
  };
  const id = base.replaceAll(/[^A-Za-z0-9]+/g, "_");
  const operation = (operationId: string, summary: string, result: Node) => ({
    operationId: `${operationId}${id}`,
    summary,
    responses: {
      200: { description: "Done", content: jsonContent(result) },
      default: { description: "An error or a failure", content: jsonContent(envelope) },
    },
  });
  const version = { name: "version", in: "path", required: true, schema: { type: "string" } };
  const execute = operation("execute", "Execute an action", envelope);
  return [
    [base === "" ? "/" : base, {
      get: operation("describe", "The metadata of the latest version", metadata),
      post: { ...execute, requestBody: { required: true, content: jsonContent(request) } },
    }],
    [`${base}/{version}`, {
      get: { ...operation("describeVersion", "The metadata of one version", metadata), parameters: [version] },
    }],
  ];
}

function membersSchema(properties: Node): Node {
  return { type: "object", properties, required: Object.keys(properties) };
}

function jsonContent(schema: Node): Node {
  return { "application/json": { schema } };
}
