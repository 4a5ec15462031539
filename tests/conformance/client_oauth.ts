/** How the program that the client suite drives gets its tokens: by what the suite gives it for the scenario. */
import { importPKCS8 } from "jose";
import {
  authorizationCode,
  clientCredentials,
  type Grant,
  identityAssertion,
  jwtBearer,
  type OAuthFetch,
  oauthFetch,
} from "../../src/entries/oauth.ts";

/** What the suite gives, by name. */
export type Context = Readonly<Record<string, unknown>>;

const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

/** The `fetch` of a scenario about authorization. */
export async function fetchFor(scenario: string, url: string, context: Context): Promise<OAuthFetch> {
  const grant = await grantFor(scenario, context);
  const isBound = scenario.startsWith("auth/dpop");
  return oauthFetch(url, { grant, ...(isBound && { dpop: await generateKeys() }) });
}

async function grantFor(scenario: string, context: Context): Promise<Grant> {
  const of = (name: string) => context[name] as string;
  const clientId = of("client_id");
  const clientSecret = of("client_secret");
  switch (scenario) {
    case "auth/client-credentials-jwt":
      return clientCredentials({
        clientId,
        clientKey: { key: await importPKCS8(of("private_key_pem"), of("signing_algorithm")) },
      });
    // The suite does not say whose the secrets are.
    case "auth/client-credentials-basic":
      return clientCredentials({ clientId, clientSecret, issuer: "*" });
    case "auth/wif-jwt-bearer":
      return jwtBearer({ clientId, assertion: () => of("valid_jwt"), issuer: "*" });
    case "auth/cross-app-access-complete-flow":
    case "auth/enterprise-managed-authorization":
      return jwtBearer({
        clientId,
        clientSecret,
        issuer: "*",
        assertion: identityAssertion({
          issuer: of("idp_issuer"),
          tokenUrl: of("idp_token_endpoint"),
          clientId: of("idp_client_id"),
          idToken: of("idp_id_token"),
        }),
      });
    default:
      return authorizationCode({
        redirect: { url: "http://localhost:3000/callback", visit },
        clientMetadataUrl: CLIENT_METADATA_URL,
        ...(clientId !== undefined && { clientId, clientSecret, issuer: of("issuer") ?? "*" }),
      });
  }
}

/** In the place of a person, who agrees to everything: the suite's page redirects at once. */
async function visit(page: URL): Promise<string> {
  const response = await fetch(page, { redirect: "manual" });
  await response.body?.cancel();
  return response.headers.get("location") ?? "";
}

async function generateKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]) as CryptoKeyPair;
}
