/** The steps over HTTP: Host, Origin, CORS, the metadata of the protected resource, and authentication. */
import { asObject } from "../../../src/internal/json.ts";
import { shorten } from "../../../src/internal/text.ts";
import { LEGACY_VERSIONS } from "../../../src/wires/mcp/protocol/constants.ts";
import { VERSION } from "../../../src/internal/version.ts";
import { probe, type Probed, type ProbeRequest } from "./probe.ts";
import { denied, failed, passed, skipped, type StepResult } from "./steps.ts";

/** The URL that `toolwire doctor` examines, and how it is requested. */
export interface Subject {
  readonly url: URL;
  /** Headers of each request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Origin whose pages have to be able to call the server. `undefined` if none has to. */
  readonly origin: string | undefined;
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number;
}

/** Origin of a page that no server lists. */
const FOREIGN_ORIGIN = "https://doctor.toolwire.invalid";

/** Headers that clients in pages send. */
const CLIENT_HEADERS = ["content-type", "authorization", "mcp-protocol-version", "mcp-session-id"];

/** Sends `initialize` of MCP by POST, with `extra` headers. Any HTTP response resolves: the steps examine its status and body. */
export function sendInitialize(
  { url, headers, timeoutMs }: Subject,
  extra: Record<string, string> = {},
): Promise<Probed> {
  const params = {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: {},
    clientInfo: { name: "toolwire doctor", version: VERSION },
  };
  return probe(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
      ...extra,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    timeoutMs,
  });
}

/** Step `host`: fails if the first response refuses the URL's host name: status 421, or 403 with a message about the host. */
export function checkHost({ url }: Subject, first: Probed): StepResult {
  const message = messageOf(first);
  const isRefused = first.status === 421 || (first.status === 403 && /\bhost\b/i.test(message));
  if (!isRefused) return passed(`POST ${url.pathname} is answered under the name ${url.host} (status ${first.status})`);
  return denied(
    `The server refuses the name ${url.host}: ${describe(first)}`,
    `Add "${url.hostname}" to the allowed hosts of the server (createServer({ hosts: ["${url.hostname}"] })), or let the proxy in front ` +
      "of it send a name that it allows",
  );
}

/** Step `origin`: fails if the server refuses pages of the given origin, by default the URL's. A foreign origin is only reported. */
export async function checkOrigin(subject: Subject, first: Probed): Promise<StepResult> {
  const origin = subject.origin ?? subject.url.origin;
  const own = await sendInitialize(subject, { origin });
  if (own.status === 403 && first.status !== 403) {
    return denied(
      `Pages of ${origin} are refused: ${describe(own)}`,
      `Add "${origin}" to the allowed origins of the server (createServer({ origins: ["${origin}"] }))`,
    );
  }
  const foreign = await sendInitialize(subject, { origin: FOREIGN_ORIGIN });
  const isOpen = foreign.status !== 403 || first.status === 403;
  return passed(`${origin} is accepted; pages of other origins are ${isOpen ? "accepted too" : "refused"}`);
}

/** Step `cors`: sends a preflight. Fails if it lacks headers of clients. A refused origin is a failure only if one was given. */
export async function checkCors(subject: Subject): Promise<StepResult> {
  const { url, timeoutMs, origin = FOREIGN_ORIGIN } = subject;
  const preflight = await probe(url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": CLIENT_HEADERS.join(", "),
    },
    timeoutMs,
  });
  const allowed = preflight.headers["access-control-allow-origin"];
  if (allowed === "*" || allowed === origin) return checkAllowedHeaders(preflight, allowed);
  if (subject.origin === undefined) {
    // Servers name an origin that they allow to that origin alone.
    return skipped(
      "Pages of origins that the server does not list get no CORS; programs can call it. Try an origin of yours with --origin https://…",
    );
  }
  return denied(
    `The preflight of ${origin} is not allowed: status ${preflight.status}, access-control-allow-origin ${
      allowed ?? "is missing"
    }`,
    `Switch CORS on and allow the origin (createServer({ cors: true, origins: ["${origin}"] })); a proxy must let OPTIONS through`,
  );
}

function checkAllowedHeaders({ headers }: Probed, allowed: string): StepResult {
  const names = (headers["access-control-allow-headers"] ?? "").toLowerCase().split(",").map((name) => name.trim());
  const missing = names.includes("*") ? [] : CLIENT_HEADERS.filter((name) => !names.includes(name));
  if (missing.length === 0) return passed(`Pages of ${allowed === "*" ? "all origins" : allowed} may call it`);
  return denied(
    `The preflight does not allow the headers ${missing.join(", ")}`,
    `Add ${missing.join(", ")} to access-control-allow-headers`,
  );
}

/** Step `well-known`: checks RFC 9728 metadata and its first authorization server. Missing metadata fails only after status 401. */
export async function checkWellKnown(subject: Subject, first: Probed): Promise<StepResult> {
  const metadataUrl = metadataUrlOf(subject.url, first);
  const found = await fetchJson(subject, metadataUrl);
  const needsSignIn = first.status === 401;
  const { resource, authorization_servers: servers } = asObject(found.json);
  if (found.status !== 200 || typeof resource !== "string") {
    const seen = `${metadataUrl.href} is ${
      found.status === 404 ? "not there" : `no metadata (status ${found.status})`
    }`;
    if (!needsSignIn) return skipped(`${seen}, and the server asks for no sign-in`);
    return denied(
      seen,
      'Serve the metadata of the protected resource (RFC 9728), and name it in WWW-Authenticate: resource_metadata="…"',
    );
  }
  if (!covers(resource, subject.url)) {
    return denied(
      `${metadataUrl.href} is of another resource: ${JSON.stringify(resource)}`,
      `Set "resource" to ${subject.url.origin}${subject.url.pathname}, as clients write it`,
    );
  }
  const [issuer] = Array.isArray(servers) ? servers : [];
  if (typeof issuer !== "string") return passed(`${metadataUrl.href}, without an authorization server`);
  return await checkIssuer(subject, metadataUrl, issuer);
}

async function checkIssuer(subject: Subject, metadataUrl: URL, issuer: string): Promise<StepResult> {
  if (!URL.canParse(issuer)) {
    return denied(`The authorization server ${JSON.stringify(issuer)} is not a URL`, "Correct authorization_servers");
  }
  for (const url of issuerMetadataUrls(new URL(issuer))) {
    const { status, json } = await fetchJson(subject, url).catch(() => ({ status: 0, json: undefined }));
    if (status === 200 && typeof asObject(json)["token_endpoint"] === "string") {
      return passed(`${metadataUrl.href}; sign-in at ${issuer}`);
    }
  }
  return denied(
    `The authorization server ${issuer} has no metadata`,
    "Serve /.well-known/oauth-authorization-server (RFC 8414) or /.well-known/openid-configuration there",
  );
}

/** Step `auth`: fails if the first response has status 401 or 403, with or without credentials. Sends nothing. */
export function checkAuth({ headers }: Subject, first: Probed): StepResult {
  const challenge = first.headers["www-authenticate"];
  const seen = `Status ${first.status}${
    challenge === undefined ? "" : `, WWW-Authenticate: ${shorten(challenge, 200)}`
  }`;
  const hasCredentials = Object.keys(headers).length > 0;
  if (first.status === 401) {
    return denied(
      seen,
      hasCredentials
        ? "The credentials are refused: get a new token, for this server (its audience) and with its scopes"
        : "Send a token: --bearer-env NAME, or --header",
    );
  }
  if (first.status === 403) {
    return denied(seen, "The credentials lack a permission: ask for the scopes that the answer names");
  }
  return passed(hasCredentials ? "The credentials are not refused" : "No sign-in is needed");
}

function metadataUrlOf(url: URL, { headers }: Probed): URL {
  const named = /resource_metadata="?([^",\s]+)/i.exec(headers["www-authenticate"] ?? "")?.[1];
  if (named !== undefined && URL.canParse(named)) return new URL(named);
  return new URL(`${url.origin}/.well-known/oauth-protected-resource${url.pathname.replace(/\/$/, "")}`);
}

function issuerMetadataUrls(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, "");
  return [
    new URL(`/.well-known/oauth-authorization-server${path}`, issuer),
    new URL(`${path}/.well-known/openid-configuration`, issuer),
  ];
}

/** Whether the resource that metadata name is the examined URL, or a path above it. */
function covers(resource: string, { origin, pathname }: URL): boolean {
  const base = resource.replace(/\/$/, "");
  const whole = origin + pathname;
  return whole.replace(/\/$/, "") === base || whole.startsWith(`${base}/`);
}

async function fetchJson(
  { timeoutMs }: Subject,
  url: URL,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const request: ProbeRequest = { headers: { accept: "application/json" }, timeoutMs };
  const { status, text } = await probe(url, request);
  try {
    return { status, json: JSON.parse(text) };
  } catch {
    // Some sites answer every path with a page.
    return { status, json: undefined };
  }
}

/** Status and message of a refusal. */
function describe(probed: Probed): string {
  const message = messageOf(probed);
  return `status ${probed.status}${message === "" ? "" : `, ${shorten(message, 200)}`}`;
}

function messageOf({ text }: Probed): string {
  try {
    const { error, message, detail } = asObject(JSON.parse(text));
    const found = asObject(error)["message"] ?? message ?? detail;
    return typeof found === "string" ? found : text;
  } catch {
    return text.trim();
  }
}

/** Makes the failed result for a request without an HTTP response. `thrown` is the error of `probe()`. */
export function failedRequest(thrown: unknown): StepResult {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return failed(
    `There is no HTTP response: ${message}`,
    "Check that an HTTP server is on this port; a gRPC server is reached by grpc://host:port",
  );
}
