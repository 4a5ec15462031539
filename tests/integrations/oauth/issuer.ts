/** A real authorization server on loopback, and a user who signs in. */
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** Supported scopes. */
export const SCOPES = ["docs:read", "docs:write"];

/** A pre-registered client. */
export const ROBOT = { id: "robot one", secret: "a secret: of 100 % +/=?&~" };

/** Consent of the user, and the granted ones of the requested scopes. */
export type Person = (scopes: readonly string[]) => readonly string[] | undefined;

/** Requests to the server: the path or, at the token endpoint, the grant. */
export interface RunningIssuer {
  readonly url: string;
  readonly asked: string[];
  person: Person;
  stop(): Promise<void>;
}

/** Starts the server. @param key Public key of the client `signer`. */
export async function startIssuer(key?: JWK): Promise<RunningIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwks = { keys: [{ ...await exportJWK(privateKey), alg: "ES256", use: "sig" }] };
  const provider = new Provider(url, configuration(jwks, key));
  const issuer: RunningIssuer = {
    url,
    asked: [],
    person: (scopes) => scopes,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const handle = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    issuer.asked.push(new URL(request.url ?? "", url).pathname);
    if (!request.url?.startsWith("/interaction/")) return handle(request, response);
    void answerFor(issuer.person, provider, request, response);
  });
  return issuer;
}

function configuration(jwks: object, key: JWK | undefined) {
  const machine = { grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
  const signer = {
    ...machine,
    client_id: "signer",
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [key] },
  };
  return {
    clients: [{ ...machine, client_id: ROBOT.id, client_secret: ROBOT.secret }, ...key === undefined ? [] : [signer]],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks,
    cookies: { keys: ["of no importance"] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    ttl: {
      Interaction: 3600,
      Grant: 3600,
      Session: 3600,
      AccessToken: 3600,
      RefreshToken: 3600,
      ClientCredentials: 3600,
    },
    scopes: ["openid", "offline_access"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: SCOPES.join(" "),
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}

/** Signs in and gives consent, as the user does. */
async function answerFor(person: Person, provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { params: { scope = "", resource = "", client_id: clientId = "" } } = await provider.interactionDetails(
    request,
    response,
  );
  const agreed = person(scope.split(" "));
  if (agreed === undefined) {
    return await provider.interactionFinished(request, response, { error: "access_denied" });
  }
  const grant = new provider.Grant({ accountId: "ada", clientId });
  grant.addOIDCScope("openid offline_access");
  grant.addResourceScope(resource, agreed.join(" "));
  grant.rejectResourceScope(resource, SCOPES.filter((one) => !agreed.includes(one)).join(" "));
  const result = { login: { accountId: "ada" }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

/** Follows redirects with cookies, as a browser does, and returns the first URL outside of the issuer. */
export async function browse(page: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let at = page, hops = 0; hops < 10; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: { cookie } });
    await response.body?.cancel();
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${at.href} leads nowhere: ${response.status}`);
    at = new URL(location, at);
    if (at.origin !== page.origin) return at;
  }
  throw new Error("It leads in circles");
}
