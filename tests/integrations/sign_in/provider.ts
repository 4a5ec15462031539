/** A stand-in for an identity provider with OpenID Connect, in process: one client, one user, codes that are good once. */
import { sha256 } from "@noble/hashes/sha2.js";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { strictEqual } from "node:assert/strict";
import { encodeBase64Url } from "../../../src/core/token/base64url.ts";

export const PROVIDER = "https://idp.example";

/** PKCE challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return encodeBase64Url(sha256(new TextEncoder().encode(verifier)));
}

/** A code that was issued. */
interface IssuedCode {
  readonly nonce: string | undefined;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** The provider, with what a test can change. */
export class Provider {
  /** The user. */
  subject = "user-1";
  claims: Readonly<Record<string, unknown>> = { name: "Ada", email: "ada@example.com" };
  /** Claims of the id token that replace correct ones. */
  idToken: Readonly<Record<string, unknown>> = {};
  /** Members of the token response that are added. */
  response: Readonly<Record<string, unknown>> = {};
  /** Members of the metadata that are added. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** Whether id tokens are signed by the key that is not published. */
  isForged = false;
  /** Whether a refresh token is good once. */
  rotates = true;
  /** Whether requests fail. */
  isDown = false;
  /** Requests, as method and path. */
  readonly asked: string[] = [];
  /** Bodies of token requests. */
  readonly forms: URLSearchParams[] = [];
  readonly #codes = new Map<string, IssuedCode>();
  readonly #refreshTokens = new Set<string>();
  readonly #keys = Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  #count = 0;

  /** What the user's browser does at the authorization page: the user agrees, and the browser is sent back. */
  authorize(page: URL, others: Readonly<Record<string, string>> = {}): URL {
    const { searchParams: sent } = page;
    strictEqual(`${page.origin}${page.pathname}`, `${PROVIDER}/authorize`);
    strictEqual(sent.get("client_id"), "toolwire-at-idp");
    strictEqual(sent.get("code_challenge_method"), "S256");
    const code = `upstream-code-${this.#count++}`;
    const redirectUri = sent.get("redirect_uri")!;
    this.#codes.set(code, {
      nonce: sent.get("nonce") ?? undefined,
      challenge: sent.get("code_challenge")!,
      redirectUri,
    });
    const back = new URL(redirectUri);
    for (const [name, value] of Object.entries({ code, state: sent.get("state")!, iss: PROVIDER, ...others })) {
      back.searchParams.set(name, value);
    }
    return back;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { origin, pathname } = new URL(url);
    strictEqual(origin, PROVIDER);
    this.asked.push(`${init.method ?? "GET"} ${pathname}`);
    if (this.isDown) return new Response("down", { status: 503 });
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer: PROVIDER,
          authorization_endpoint: `${PROVIDER}/authorize`,
          token_endpoint: `${PROVIDER}/token`,
          jwks_uri: `${PROVIDER}/jwks`,
          id_token_signing_alg_values_supported: ["ES256"],
          token_endpoint_auth_methods_supported: ["client_secret_post"],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata,
        });
      case "/jwks": {
        const [{ publicKey }] = await this.#keys;
        return Response.json({ keys: [{ ...await exportJWK(publicKey), kid: "1", alg: "ES256", use: "sig" }] });
      }
      case "/token":
        return await this.#token(new URLSearchParams(String(init.body)));
      default:
        return new Response("not here", { status: 404 });
    }
  };

  async #token(form: URLSearchParams): Promise<Response> {
    this.forms.push(form);
    if (form.get("client_secret") !== "secret-at-idp") return refuse("invalid_client");
    if (form.get("grant_type") === "refresh_token") {
      const token = form.get("refresh_token") ?? "";
      const isKnown = this.rotates ? this.#refreshTokens.delete(token) : this.#refreshTokens.has(token);
      return isKnown ? await this.#issue() : refuse("invalid_grant");
    }
    const issued = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const challenge = challengeOf(form.get("code_verifier") ?? "");
    if (issued?.challenge !== challenge || issued.redirectUri !== form.get("redirect_uri")) {
      return refuse("invalid_grant");
    }
    return await this.#issue(issued.nonce);
  }

  async #issue(nonce?: string): Promise<Response> {
    const refreshToken = `upstream-refresh-${this.#count++}`;
    this.#refreshTokens.add(refreshToken);
    const [published, other] = await this.#keys;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: PROVIDER,
      aud: "toolwire-at-idp",
      sub: this.subject,
      iat: now,
      exp: now + 300,
      ...this.claims,
    };
    const idToken = await new SignJWT({ ...claims, ...(nonce && { nonce }), ...this.idToken })
      .setProtectedHeader({ alg: "ES256", kid: "1" })
      .sign((this.isForged ? other : published).privateKey);
    const tokens = { access_token: `upstream-access-${this.#count++}`, token_type: "Bearer", id_token: idToken };
    return Response.json({
      ...tokens,
      refresh_token: refreshToken,
      expires_in: 7200,
      scope: "openid",
      ...this.response,
    });
  }
}

function refuse(error: string): Response {
  return Response.json({ error }, { status: 400 });
}
