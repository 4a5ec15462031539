/**
 * Clients, in the order of MCP 2026-07-28: those that the server's author lists, those with a metadata document, and those that have
 * registered dynamically. The id of a registered client is its sealed registration, so that there is no row of it anywhere.
 */
import { isJsonObject, type JsonObject, type Members } from "../../internal/json.ts";
import { isLoopback } from "../../internal/http.ts";
import { ClientDocuments, isDocumentUrl } from "./client_document.ts";
import type { ListedClient, SignInConfig } from "./config.ts";
import { OAuthError } from "./oauth_error.ts";
import { isSameRedirect, redirectProblem } from "./redirect_uri.ts";
import type { Sealer } from "./sealer.ts";

/** An OAuth client of `signIn`, and its `source`: the option `clients`, a metadata document, or a dynamic registration. */
export interface SignInClient extends ListedClient {
  readonly source: "listed" | "document" | "registered";
}

/** Limits of a client: number of redirect URIs, length of its name, and length of a sealed registration, in characters. */
const [MAX_REDIRECTS, MAX_NAME_CHARS, MAX_ID_CHARS] = [10, 80, 2_048];

/** Finds OAuth clients by id, only listed ones with the option `clients`. Registers new ones: the id is the sealed registration. Stores none. */
export class Clients {
  readonly #listed: readonly ListedClient[] | undefined;
  readonly #sealer: Sealer;
  readonly #documents: ClientDocuments;

  constructor({ clients, now, fetchDocument }: SignInConfig, sealer: Sealer) {
    this.#listed = clients;
    this.#sealer = sealer;
    this.#documents = new ClientDocuments(fetchDocument, now);
  }

  /** Whether clients that are not listed are accepted. */
  get isOpen(): boolean {
    return this.#listed === undefined;
  }

  /** Returns the client of an id; fetches its metadata document if the id is a URL. @throws {OAuthError} If the client is unknown. */
  async find(id: string | undefined): Promise<SignInClient> {
    if (id === undefined || id === "") throw new OAuthError("invalid_request", "The parameter client_id is missing");
    const listed = this.#listed?.find((one) => one.id === id);
    if (listed !== undefined) return { ...listed, source: "listed" };
    if (this.isOpen && isDocumentUrl(id)) {
      return readClient(id, await this.#documents.read(id), "document", "invalid_client");
    }
    const opened = this.isOpen ? await this.#sealer.open("client", id) : "invalid";
    if (typeof opened !== "string") return readClient(id, opened.content, "registered", "invalid_client");
    throw new OAuthError("invalid_client", "The client is not known to this server; register it again");
  }

  /** Registers a client (RFC 7591), and returns the response. @throws {OAuthError} If its metadata are invalid. */
  async register(metadata: unknown): Promise<JsonObject> {
    if (!isJsonObject(metadata)) throw new OAuthError("invalid_client_metadata", "The body must be a JSON object");
    const { name, redirectUris } = readClient("", metadata, "registered", "invalid_client_metadata");
    const isWeb = redirectUris.every((uri) => uri.startsWith("https:") && !isLoopback(new URL(uri)));
    if (metadata["application_type"] === "web" && !isWeb) {
      throw new OAuthError("invalid_redirect_uri", "Redirect URIs of a web client must be https, and not on loopback");
    }
    const issuedAt = this.#sealer.nowSeconds;
    const id = await this.#sealer.seal("client", { client_name: name, redirect_uris: redirectUris, iat: issuedAt });
    if (id.length > MAX_ID_CHARS) {
      throw new OAuthError("invalid_client_metadata", "The metadata are too long: register fewer redirect URIs");
    }
    return {
      client_id: id,
      client_id_issued_at: issuedAt,
      client_name: name,
      redirect_uris: redirectUris,
      application_type: isWeb ? "web" : "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  }
}

/** Returns the redirect URI of a request. @throws {OAuthError} If it is not one of the client's; the port of `http` loopback URIs may differ. */
export function checkRedirect(client: SignInClient, given: string | undefined): string {
  const isRegistered = given !== undefined && redirectProblem(given) === undefined &&
    client.redirectUris.some((uri) => isSameRedirect(uri, given));
  if (isRegistered) return given;
  throw new OAuthError("invalid_request", "The parameter redirect_uri is not one that the client has registered");
}

/** Reads metadata by the names of RFC 7591. Only clients without a secret are supported. */
function readClient(id: string, metadata: Members, source: SignInClient["source"], error: string): SignInClient {
  const { client_name: name, redirect_uris: uris, token_endpoint_auth_method: method, client_secret: secret } =
    metadata;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS) {
    throw new OAuthError("invalid_redirect_uri", `redirect_uris must be an array of 1 to ${MAX_REDIRECTS} URIs`);
  }
  for (const uri of uris) {
    const problem = redirectProblem(uri);
    if (problem !== undefined) {
      throw new OAuthError("invalid_redirect_uri", `A redirect URI is not allowed: ${problem}`);
    }
  }
  // A dynamic registration is answered with the method that is supported; a document cannot be changed.
  const isPublic = source === "registered" || method === undefined || method === "none";
  if (!isPublic || secret !== undefined) {
    throw new OAuthError(error, "Clients must be public: token_endpoint_auth_method none, without a secret");
  }
  return { id, name: readName(name), redirectUris: uris, source };
}

/** A name without control and formatting characters, which could rearrange the text around it. */
function readName(name: unknown): string {
  const text = typeof name === "string" ? name.replace(/[\p{C}\p{Z}]+/gu, " ").trim() : "";
  return [...text].slice(0, MAX_NAME_CHARS).join("") || "An application without a name";
}
