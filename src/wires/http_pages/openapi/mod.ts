/**
 * Tells by an OpenAPI document how a server is called over HTTP.
 *
 * @module
 */
import { errorResult } from "../../../core/call/outcome.ts";
import { checkOptions, PATH } from "../../../internal/options.ts";
import { sha256, toHex } from "../../../internal/encoding.ts";
import type { Head, MountedWire, Reply, RequestWire, WireHost } from "../../wire.ts";
import { describeServer } from "./describe.ts";

/** Options of {@link openapiPage}. */
export interface OpenApiOptions {
  /** Where the document is. Default: `/openapi.json`. */
  readonly path?: string;
}

/**
 * A wire that serves an OpenAPI 3.1 document of the MCP-lite and Webtools wires beside it, as they are mounted, with the tools
 * that the caller may know of.
 *
 * @example Beside the wire that it tells of
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
 * @throws {TypeError} If the path is none, or there is no such option.
 */
export function openapiPage(options: OpenApiOptions = {}): RequestWire {
  checkOptions<OpenApiOptions>("serve OpenAPI", options, { path: PATH });
  const { path = "/openapi.json" } = options;
  return { name: "openapi", mount: (host) => mountOpenApi(host, path) };
}

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };

function mountOpenApi(host: WireHost, path: string): MountedWire {
  return {
    paths: [path],
    methods: ["GET", "HEAD"],
    exposedHeaders: ["etag"],
    handle(head) {
      if (head.method === "GET" || head.method === "HEAD") return documentReply(host, head);
      const refusal = errorResult("invalid_request", `${head.method} is not allowed here: use GET`);
      const body = JSON.stringify({ error: { code: refusal.code, message: refusal.message } });
      return { status: 405, headers: { ...JSON_HEADERS, allow: "GET, HEAD" }, body };
    },
  };
}

async function documentReply(host: WireHost, { method, metadata, principal }: Head): Promise<Reply> {
  const seen = host.toolsFor(principal);
  const json = JSON.stringify(describeServer(host, seen));
  const etag = `"${toHex(await sha256(json))}"`;
  const cache = host.definitions.some(({ isVisible }) => isVisible !== undefined) ? "private, no-cache" : "no-cache";
  const headers = { ...JSON_HEADERS, etag, "cache-control": cache };
  const known = metadata.get("if-none-match")?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.some((tag) => tag === etag || tag === "*")) return { status: 304, headers, body: null };
  return { status: 200, headers, body: method === "HEAD" ? null : json };
}
