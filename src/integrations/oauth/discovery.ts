/**
 * Where a server's tokens come from: what it tells of itself, and what the authorization server does that it names.
 *
 * Source: MCP, revisions 2025-03-26 to 2026-07-28, "Authorization"; RFC 9728 and RFC 8414.
 *
 * @module
 */
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Challenge } from "./challenge.ts";
import type { AuthServerClient } from "./auth_server_client.ts";
import type { IssuerMetadata } from "./grant.ts";

/** Where to get tokens for a server. */
export interface TokenSource {
  /** The server, as it calls itself; `undefined` if it does not say, as those of 2025-03-26. */
  readonly resource: string | undefined;
  /** Scopes that there are. */
  readonly scopes: readonly string[] | undefined;
  readonly server: IssuerMetadata;
}

/**
 * Finds out where the tokens of a server come from; `undefined` if it takes none, as far as it says.
 *
 * @param issuer Who has to be asked for tokens; `undefined` for the first that the server names.
 */
export async function discoverTokenSource(
  url: URL,
  { metadataUrl, isProbe }: Challenge,
  issuer: string | undefined,
  authServer: AuthServerClient,
): Promise<TokenSource | undefined> {
  const resource = await readResource(url, metadataUrl, authServer);
  if (resource === undefined) return isProbe ? undefined : await discoverAtRoot(url, issuer, authServer);
  const { resource: name, authorization_servers: issuers, scopes_supported: scopes } = resource;
  return {
    resource: checkResource(name, url),
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : undefined,
    server: await readServer(chooseIssuer(issuers, issuer, url), authServer),
  };
}

/** The metadata of an authorization server. @throws {ToolError} If there is none, or that of another. */
export async function readServer(issuer: string, authServer: AuthServerClient): Promise<IssuerMetadata> {
  for (const place of wellKnownOf(authServer.parse(issuer))) {
    const found = await readServerAt(place, issuer, (named) => isSameIssuer(named, issuer), authServer);
    if (found !== undefined) return found;
  }
  throw new ToolError("unauthenticated", `The authorization server ${issuer} has no metadata`);
}

type Metadata = Readonly<Record<string, unknown>>;

async function readResource(
  url: URL,
  metadataUrl: string | undefined,
  authServer: AuthServerClient,
): Promise<Metadata | undefined> {
  if (metadataUrl !== undefined) {
    const found = await authServer.readObject(authServer.parse(metadataUrl).href);
    if (found !== undefined) return found;
    throw new ToolError("unauthenticated", `${url.origin} names metadata that are not there`);
  }
  const path = url.pathname.replace(/\/$/, "");
  for (const place of new Set([path, ""])) {
    const found = await authServer.readObject(`${url.origin}/.well-known/oauth-protected-resource${place}`);
    if (found?.["resource"] !== undefined) return found;
  }
  return undefined;
}

/** Tokens are for what the metadata name, which has to be the server, or what it is a part of. */
function checkResource(name: unknown, url: URL): string {
  const named = typeof name === "string" && URL.canParse(name) ? new URL(name) : undefined;
  const isAround = named?.origin === url.origin && ["", url.search].includes(named.search) && named.hash === "" &&
    `${url.pathname}/`.startsWith(named.pathname.replace(/\/?$/, "/"));
  if (isAround) return name as string;
  throw new ToolError("unauthenticated", `The metadata of ${url.href} are those of something else`);
}

function chooseIssuer(named: unknown, wanted: string | undefined, url: URL): string {
  const issuers: readonly unknown[] = Array.isArray(named) ? named : [];
  const issuer = wanted === undefined ? issuers[0] : issuers.find((one) => isSameIssuer(one, wanted));
  if (typeof issuer === "string") return issuer;
  const message = wanted === undefined
    ? `${url.href} names no authorization server`
    : `${url.href} does not take tokens of ${wanted}, which is all that there are credentials for`;
  throw new ToolError("unauthenticated", message);
}

/**
 * In the revision of 2025-03-26 a server is its own authorization server: at its root, by metadata or by custom. What it calls itself
 * there, nobody has told before; it has to be of the same origin.
 */
async function discoverAtRoot(
  url: URL,
  wanted: string | undefined,
  authServer: AuthServerClient,
): Promise<TokenSource> {
  const { origin } = url;
  const place = `${origin}/.well-known/oauth-authorization-server`;
  const isOwn = (issuer: unknown) => URL.canParse(String(issuer)) && new URL(String(issuer)).origin === origin;
  const server = await readServerAt(place, origin, isOwn, authServer) ?? {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ["S256"],
  };
  chooseIssuer([server.issuer], wanted, url);
  return { resource: undefined, scopes: undefined, server };
}

async function readServerAt(
  place: string,
  issuer: string,
  isRight: (issuer: unknown) => boolean,
  authServer: AuthServerClient,
): Promise<IssuerMetadata | undefined> {
  const found = await authServer.readObject(place);
  if (found?.["issuer"] === undefined) return undefined;
  if (isRight(found["issuer"])) return found as unknown as IssuerMetadata;
  throw new ToolError("unauthenticated", `The metadata of ${issuer} are those of another authorization server`);
}

/** The same URL: with and without a slash alone as its path. */
export function isSameIssuer(one: unknown, other: string): boolean {
  return typeof one === "string" && URL.canParse(one) && URL.canParse(other) &&
    new URL(one).href === new URL(other).href;
}

/** Where an issuer's metadata may be, in the order of MCP's specification. */
function wellKnownOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, "");
  const [oauth, openId] = [".well-known/oauth-authorization-server", ".well-known/openid-configuration"];
  const inserted = [`${origin}/${oauth}${path}`, `${origin}/${openId}${path}`];
  return path === "" ? inserted : [...inserted, `${origin}${path}/${openId}`];
}
