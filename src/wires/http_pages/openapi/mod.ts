/**
 * Serves an OpenAPI document of a server.
 *
 * @module
 */
import { checkOptions, PATH } from "../../../internal/options.ts";
import { sha256, toHex } from "../../../internal/encoding.ts";
import { JSON_HEADERS } from "../../framing/http.ts";
import type { Head, MountedWire, Reply, RequestWire, WireHost } from "../../wire.ts";
import { describeServer } from "./describe.ts";

/** Options of {@link openapiPage}. */
export interface OpenApiOptions {
  /** Path of the document. Default: `/openapi.json`. */
  readonly path?: string;
}

/**
 * Creates a wire that serves an OpenAPI 3.1 document of the MCP-lite and Webtools wires of its server, with the tools that are
 * visible to the caller.
 *
 * @example A document of MCP-lite
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 * import { openapiPage } from "jsr:@toolwire/toolwire/openapi";
 * import { ok } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcpLite(), openapiPage()] });
 * const document = await (await server.fetch(new Request("http://localhost/openapi.json"))).json();
 * ok(document.paths["/mcp-lite/v1/calltools"].post);
 * ```
 * @throws {TypeError} If the path is invalid, or an option is unknown.
 */
export function openapiPage(options: OpenApiOptions = {}): RequestWire {
  checkOptions<OpenApiOptions>("serve OpenAPI", options, { path: PATH });
  const { path = "/openapi.json" } = options;
  return { name: "openapi", mount: (host) => mountOpenApi(host, path) };
}

function mountOpenApi(host: WireHost, path: string): MountedWire {
  return {
    paths: [path],
    methods: ["GET", "HEAD"],
    exposedHeaders: ["etag"],
    handle(head) {
      if (head.method === "GET" || head.method === "HEAD") return documentReply(host, head);
      const message = `${head.method} is not allowed here: use GET`;
      const body = JSON.stringify({ error: { code: "invalid_request", message } });
      return { status: 405, headers: { ...JSON_HEADERS, allow: "GET, HEAD" }, body };
    },
  };
}

async function documentReply(host: WireHost, { method, metadata, principal }: Head): Promise<Reply> {
  const json = JSON.stringify(describeServer(host, host.toolsFor(principal)));
  const etag = `"${toHex(await sha256(json))}"`;
  const cache = host.definitions.some(({ isVisible }) => isVisible !== undefined) ? "private, no-cache" : "no-cache";
  const headers = { ...JSON_HEADERS, etag, "cache-control": cache };
  const cached = metadata.get("if-none-match")?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (cached?.some((tag) => tag === etag || tag === "*")) return { status: 304, headers, body: null };
  return { status: 200, headers, body: method === "HEAD" ? null : json };
}
