import { JSON_HEADERS } from "../../wires/framing/http.ts";
import type { Json } from "../../internal/json.ts";
import { isConfidential } from "../../internal/http.ts";
import { checkOptions, OBJECT, type OptionRules, required, TEXT, TEXTS } from "../../internal/options.ts";
import type { Head, MountedWire, ProtectedResource, Reply, RequestWire } from "../../wires/wire.ts";

/** Options of {@link protectedResourcePage}. */
export interface ProtectedResourceOptions {
  /** Public URL of the protected resource: `https://api.example/mcp`. It includes all paths below it. */
  readonly resource: string;
  /** Issuers of accepted tokens, exactly as in the tokens: `https://login.example`. */
  readonly authorizationServers: readonly string[];
  /** Supported scopes. */
  readonly scopes?: readonly string[] | undefined;
  /** Name, for people. */
  readonly name?: string | undefined;
  /** URL of its documentation. */
  readonly documentation?: string | undefined;
  /**
   * Metadata of the authorization server (RFC 8414), served beside the resource at `/.well-known/oauth-authorization-server` for clients of
   * MCP 2025-03-26 and older, which look for it there. Default: not served.
   */
  readonly authorizationServerMetadata?: Readonly<Record<string, Json>> | undefined;
  /** Further members of the metadata, by their names in RFC 9728. */
  readonly more?: Readonly<Record<string, Json>> | undefined;
}

const RULES: OptionRules<ProtectedResourceOptions> = {
  resource: required(TEXT),
  authorizationServers: required(TEXTS),
  scopes: TEXTS,
  name: TEXT,
  documentation: TEXT,
  more: OBJECT,
  authorizationServerMetadata: OBJECT,
};

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

const SERVER_WELL_KNOWN = "/.well-known/oauth-authorization-server";

/** Pages of any origin may read the metadata: it has no secrets, and clients in browsers need it. */
const HEADERS: Readonly<Record<string, string>> = { "access-control-allow-origin": "*" };

/**
 * Creates a wire that serves the metadata of a protected resource (RFC 9728), so that callers learn where to get tokens. The
 * header `WWW-Authenticate` of 401 and 403 replies refers to it.
 *
 * @example Metadata beside an authenticated wire
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 * import { jwt, protectedResourcePage } from "jsr:@toolwire/toolwire/auth";
 * import { match } from "node:assert/strict";
 *
 * const [resource, issuer] = ["https://api.example/mcp-lite/v1", "https://login.example"];
 * const server = createServer({
 *   tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
 *   wires: [mcpLite(), protectedResourcePage({ resource, authorizationServers: [issuer] })],
 *   auth: jwt({ issuer, audience: resource, jwksUrl: `${issuer}/jwks` }),
 * });
 * const refused = await server.fetch(new Request(`${resource}/tools`, { method: "POST" }));
 * match(refused.headers.get("www-authenticate") ?? "", /resource_metadata="https:\/\/api\.example\/\.well-known/);
 * ```
 * @throws {TypeError} If the resource is not a URL, has a query or fragment, or is neither `https:` nor on this machine; or if
 * there is no authorization server.
 */
export function protectedResourcePage(options: ProtectedResourceOptions): RequestWire {
  checkOptions("describe a protected resource", options, RULES);
  const url = readResource(options.resource);
  if (options.authorizationServers.length === 0) {
    throw new TypeError(
      `Cannot describe ${options.resource}: name at least one authorization server in authorizationServers`,
    );
  }
  const path = url.pathname.replace(/\/$/, "");
  const serverJson = encodeServerMetadata(options);
  return {
    name: "protected-resource",
    mount: () => new Metadata(url.origin, path, encodeMetadata(options), serverJson),
  };
}

/** @throws {TypeError} If a client could not use the metadata of the authorization server. */
function encodeServerMetadata(
  { authorizationServerMetadata: metadata, authorizationServers, resource }: ProtectedResourceOptions,
): string | undefined {
  if (metadata === undefined) return undefined;
  const { issuer, authorization_endpoint: authorization, token_endpoint: token } = metadata;
  if (
    typeof issuer === "string" && authorizationServers.includes(issuer) && typeof authorization === "string" &&
    typeof token === "string"
  ) return JSON.stringify(metadata);
  throw new TypeError(
    `Cannot describe ${resource}: authorizationServerMetadata needs issuer (one of authorizationServers), ` +
      `authorization_endpoint and token_endpoint, not ${Object.keys(metadata).join(", ") || "an empty object"}`,
  );
}

/** Serves the metadata of RFC 9728, by which clients find the authorization server. */
class Metadata implements MountedWire {
  readonly paths: readonly string[];
  readonly isAtRoot = true;
  readonly unauthenticatedPaths: readonly string[];
  readonly protectedResource: ProtectedResource;
  readonly #json: string;
  readonly #serverJson: string | undefined;

  /** @param serverJson Metadata of the authorization server, if it is served. */
  constructor(origin: string, path: string, json: string, serverJson: string | undefined) {
    const ownPaths = serverJson === undefined ? [] : [...new Set([SERVER_WELL_KNOWN, SERVER_WELL_KNOWN + path])];
    this.paths = this.unauthenticatedPaths = [WELL_KNOWN + path, ...ownPaths];
    this.#serverJson = serverJson;
    this.protectedResource = { path, metadataUrl: origin + WELL_KNOWN + path };
    this.#json = json;
  }

  handle({ method, path }: Head): Reply {
    const headers = { ...HEADERS, ...JSON_HEADERS, "cache-control": "public, max-age=3600" };
    switch (method) {
      case "GET":
        return { status: 200, headers, body: path === this.paths[0] ? this.#json : this.#serverJson ?? null };
      case "HEAD":
        return { status: 200, headers, body: null };
      case "OPTIONS":
        return { status: 204, headers: { ...HEADERS, ...PREFLIGHT }, body: null };
      default:
        return { status: 405, headers: { ...HEADERS, allow: "GET, HEAD, OPTIONS" }, body: null };
    }
  }
}

const PREFLIGHT = {
  allow: "GET, HEAD, OPTIONS",
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "*",
  "access-control-max-age": "86400",
};

function encodeMetadata(
  { resource, authorizationServers, scopes, name, documentation, more }: ProtectedResourceOptions,
) {
  return JSON.stringify({
    ...more,
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: name,
    resource_documentation: documentation,
  });
}

function readResource(resource: string): URL {
  const url = URL.canParse(resource) ? new URL(resource) : undefined;
  if (url !== undefined && isConfidential(url) && !/[?#]/.test(resource)) return url;
  throw new TypeError(
    `Cannot describe ${JSON.stringify(resource)}: pass an https URL without a query, such as "https://api.example/mcp"`,
  );
}
