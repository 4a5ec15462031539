/**
 * Discovery of the authorization server of a resource server, by the metadata of both.
 *
 * Source: MCP, revisions 2025-03-26 to 2026-07-28, "Authorization"; RFC 9728 and RFC 8414.
 */
import { ToolError } from "../../core/errors/tool_error.ts";
import type { AuthServerClient } from "./auth_server_client.ts";
import type { IssuerMetadata } from "./grant.ts";
import {
  customFetch,
  protectedResourceRequest,
  type WWWAuthenticateChallenge,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";

/** Source of the tokens of a resource server. */
interface TokenSource {
  /** The resource identifier; `undefined` for servers without resource metadata, as in revision 2025-03-26. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly server: IssuerMetadata;
}

/**
 * Finds the authorization server of a resource server by its resource metadata. Without them the result is `undefined` for a probe; after a
 * challenge the resource server itself is the authorization server (revision 2025-03-26).
 *
 * @param issuer Required issuer; `undefined` for the first one that the server names.
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

/** Fetches the metadata of an authorization server from its well-known URLs. @throws {ToolError} If they are missing, or of another issuer. */
export async function readServer(issuer: string, authServer: AuthServerClient): Promise<IssuerMetadata> {
  for (const url of metadataUrls(authServer.parse(issuer))) {
    const found = await readServerAt(url, issuer, (named) => isSameIssuer(named, issuer), authServer);
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
    throw new ToolError("unauthenticated", `Cannot read the resource metadata that ${url.origin} names`);
  }
  for (const path of new Set([url.pathname.replace(/\/$/, ""), ""])) {
    const found = await authServer.readObject(`${url.origin}/.well-known/oauth-protected-resource${path}`);
    if (found?.["resource"] !== undefined) return found;
  }
  return undefined;
}

/** Checks that the resource of the metadata is the server, or contains it. */
function checkResource(name: unknown, url: URL): string {
  const named = typeof name === "string" && URL.canParse(name) ? new URL(name) : undefined;
  const isAround = named?.origin === url.origin && ["", url.search].includes(named.search) && named.hash === "" &&
    `${url.pathname}/`.startsWith(named.pathname.replace(/\/?$/, "/"));
  if (isAround) return name as string;
  throw new ToolError("unauthenticated", `The metadata of ${url.href} describe another resource`);
}

function chooseIssuer(named: unknown, wanted: string | undefined, url: URL): string {
  const issuers: readonly unknown[] = Array.isArray(named) ? named : [];
  const issuer = wanted === undefined ? issuers[0] : issuers.find((one) => isSameIssuer(one, wanted));
  if (typeof issuer === "string") return issuer;
  const message = wanted === undefined
    ? `${url.href} names no authorization server`
    : `${url.href} does not accept tokens of ${wanted}, the only issuer with credentials`;
  throw new ToolError("unauthenticated", message);
}

/**
 * In revision 2025-03-26 a server is its own authorization server, with metadata or default endpoints at its root. The issuer is not known
 * before; it must have the same origin.
 */
async function discoverAtRoot(
  url: URL,
  wanted: string | undefined,
  authServer: AuthServerClient,
): Promise<TokenSource> {
  const { origin } = url;
  const metadataUrl = `${origin}/.well-known/oauth-authorization-server`;
  const isOwn = (issuer: unknown) => URL.canParse(String(issuer)) && new URL(String(issuer)).origin === origin;
  const server = await readServerAt(metadataUrl, origin, isOwn, authServer) ?? {
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
  url: string,
  issuer: string,
  isExpected: (issuer: unknown) => boolean,
  authServer: AuthServerClient,
): Promise<IssuerMetadata | undefined> {
  const found = await authServer.readObject(url);
  if (found?.["issuer"] === undefined) return undefined;
  if (isExpected(found["issuer"])) return found as unknown as IssuerMetadata;
  throw new ToolError("unauthenticated", `The metadata of ${issuer} describe another authorization server`);
}

/** Whether two issuers are the same URL. An empty path equals a slash. */
export function isSameIssuer(one: unknown, other: string): boolean {
  return typeof one === "string" && URL.canParse(one) && URL.canParse(other) &&
    new URL(one).href === new URL(other).href;
}

/** Well-known URLs of an issuer's metadata, in the order of the MCP specification. */
function metadataUrls({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, "");
  const [oauth, openId] = [".well-known/oauth-authorization-server", ".well-known/openid-configuration"];
  const inserted = [`${origin}/${oauth}${path}`, `${origin}/${openId}${path}`];
  return path === "" ? inserted : [...inserted, `${origin}${path}/${openId}`];
}

/** A server's demand for a token, or for another one: the header `WWW-Authenticate` of a response 401 or 403. */
export interface Challenge {
  /** Whether there was no challenge: the client asks whether the server accepts tokens. */
  readonly isProbe: boolean;
  /** Whether the token is valid, but lacks a scope. */
  readonly isInsufficient: boolean;
  /** Whether the DPoP proof lacks the server's nonce. */
  readonly wantsNonce: boolean;
  /** Required scopes; `undefined` if not specified. */
  readonly scopes: readonly string[] | undefined;
  /** URL of the protected resource metadata; `undefined` if not specified. */
  readonly metadataUrl: string | undefined;
}

/**
 * Reads the challenge of a response 401, even without the header, or 403 with `insufficient_scope`; `undefined` for other responses.
 *
 * Source: RFC 6750, section 3, RFC 9728, section 5.1, and RFC 9449, section 9.
 */
export async function readChallenge(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const challenges = await parseChallenges(response);
  const usable = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const { error, scope, resource_metadata: metadataUrl } = Object.assign(
    {},
    ...usable.map(({ parameters }) => parameters),
  ) as Readonly<Record<string, string | undefined>>;
  const isInsufficient = error === "insufficient_scope";
  if (response.status === 403 && !isInsufficient) return undefined;
  const scopes = scope === undefined ? [] : splitScopes(scope);
  return {
    isProbe: false,
    isInsufficient,
    wantsNonce: error === "use_dpop_nonce",
    scopes: scopes.length === 0 ? undefined : scopes,
    metadataUrl,
  };
}

/** Challenge for a sign-in at a server that has not demanded a token: asks whether it accepts tokens. */
export const NO_CHALLENGE: Challenge = {
  isProbe: true,
  isInsufficient: false,
  wantsNonce: false,
  scopes: undefined,
  metadataUrl: undefined,
};

/** Splits a list of scopes. Invalid ones are left out. */
function splitScopes(text: string): readonly string[] {
  return text.split(" ").filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
}

/** Uses the parser of `oauth4webapi`, which only accepts responses to its own requests. */
async function parseChallenges(response: Response): Promise<readonly WWWAuthenticateChallenge[]> {
  const options = { [customFetch]: () => Promise.resolve(response) };
  try {
    await protectedResourceRequest("none", "GET", new URL("https://localhost"), undefined, undefined, options);
    return [];
  } catch (thrown) {
    if (thrown instanceof WWWAuthenticateChallengeError) return thrown.cause;
    throw thrown;
  }
}
