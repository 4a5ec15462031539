/** A simulated network: a server that requires tokens, its authorization server, and the log of all requests. */
import {
  authorizationCode,
  type Grant,
  type OAuthFetch,
  oauthFetch,
  type OAuthFetchOptions,
} from "../../../src/entries/oauth.ts";

export const SERVER = "https://api.example/mcp";
export const ISSUER = "https://login.example";
export const RESOURCE_METADATA = "https://api.example/.well-known/oauth-protected-resource/mcp";
export const ISSUER_METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;

/** Response to a request: JSON, or any response. */
export type Answer = object | ((init: RequestInit) => Response | object | Promise<Response | object>);

/** Metadata of a correct authorization server. */
export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};

/** Responses of a correct network. The server accepts the token `good`. */
export const HONEST: Readonly<Record<string, Answer>> = {
  [SERVER]: serverFor("good"),
  [RESOURCE_METADATA]: { resource: SERVER, authorization_servers: [ISSUER], scopes_supported: ["docs:read"] },
  [ISSUER_METADATA]: METADATA,
  [`${ISSUER}/register`]: { client_id: "dynamic" },
  [`${ISSUER}/token`]: { access_token: "good", token_type: "Bearer", expires_in: 3600 },
};

/** A server that accepts one token. */
export function serverFor(token: string, challenge: string = "Bearer"): (init: RequestInit) => Response {
  return ({ headers }) =>
    new Headers(headers).get("authorization") === `Bearer ${token}` ? Response.json("served") : refuse(401, challenge);
}

/** An error response with a challenge. */
export function refuse(status: number, challenge: string): Response {
  return new Response("no", { status, headers: { "www-authenticate": challenge } });
}

/** A network with some responses replaced, and the log of its requests: method and URL. */
export function createNetwork(others: Readonly<Record<string, Answer>> = {}) {
  const asked: string[] = [];
  const bodies: URLSearchParams[] = [];
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    asked.push(url);
    if (url !== SERVER && init.redirect !== "manual") throw new Error(`${url} may redirect`);
    if (init.body instanceof URLSearchParams) bodies.push(init.body);
    const answer = others[url] ?? HONEST[url];
    const given = typeof answer === "function" ? await answer(init) : answer;
    if (given === undefined) return new Response("Not here", { status: 404 });
    return given instanceof Response ? given : Response.json(given);
  };
  return {
    asked,
    bodies,
    /** Number of requests to a URL. */
    count: (url: string) => asked.filter((one) => one === url).length,
    fetch: (grant: Grant, options: Partial<OAuthFetchOptions> = {}): OAuthFetch =>
      oauthFetch(SERVER, { grant, fetch: send, ...options }),
  };
}

/** A grant with the consent of the user, or another response of the browser. */
export function agreeing(
  answer: (page: URL) => URL | string | Promise<URL | string> = (page) => answerTo(page),
): { readonly grant: Grant; readonly pages: URL[] } {
  const pages: URL[] = [];
  const redirect = {
    url: "http://127.0.0.1:4000/callback",
    async visit(page: URL) {
      pages.push(page);
      return await answer(page);
    },
  };
  return { grant: authorizationCode({ redirect }), pages };
}

/** The redirect URL, with some parameters replaced. */
export function answerTo(page: URL, others: Readonly<Record<string, string | undefined>> = {}): URL {
  const url = new URL(page.searchParams.get("redirect_uri") ?? "");
  const params = { code: "code", state: page.searchParams.get("state") ?? "", iss: ISSUER, ...others };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Request of a call. */
export const POST: RequestInit = { method: "POST", body: "{}", redirect: "manual" };
