/**
 * Targets that are URLs. The program finds out which wire answers: it requests the list of tools on one wire after the other,
 * those first that the path suggests.
 */
import type { ErrorResult } from "../../../src/core/call/outcome.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";
import { CliError, withCauses } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { CliProcess } from "../terminal/process.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { headersOf, readJsonFile, type TargetFlags } from "./flags.ts";
import { listError, listOnce, withLimits } from "./limits.ts";
import { baseOf, type Candidate, candidatesOf, isMcpTransport, openWire, type WireOptions } from "./wires.ts";

/** Opens a URL. Without `--wire`, the list of tools is requested by one protocol after the other; the first that answers is used. */
export async function openUrl(
  url: URL,
  flags: TargetFlags,
  host: Pick<CliProcess, "cwd" | "env">,
  options: OpenTargetOptions,
): Promise<TargetConnection> {
  const wireOptions = wireOptionsOf(flags, host, options);
  const candidates = candidatesOf(url, flags.wire);
  const [first] = candidates;
  const beside = besideOf(url, wireOptions);
  const connect = (candidate: Candidate) => connectionOf(candidate, wireOptions, beside, flags, options);
  if (candidates.length === 1 && first !== undefined) return await connect(first);
  const errors: string[] = [];
  for (const candidate of candidates) {
    const { opened, error } = await tryCandidate(await connect(candidate), flags, options);
    if (opened !== undefined) return opened;
    if (isFinal(error, candidate, errors.length > 0)) throw connectError(error, candidate);
    errors.push(`  ${candidate.wire} at ${candidate.url}: ${error.message}`);
  }
  const answer = await describeAnswer(url, flags, options);
  throw new CliError(EXIT.unreachable, `No known protocol answers at ${url.href}${answer}`, {
    code: "unknown_protocol",
    step: "connect",
    url: url.href,
    hint: `Tried:\n${errors.join("\n")}\nName the protocol with --wire, or the path of its endpoint. ` +
      `Examine the address with: toolwire doctor ${url.href}`,
  });
}

/** What a browser would get, in brackets; empty if nothing answers it. The request has no credentials. */
async function describeAnswer(url: URL, flags: TargetFlags, { signal }: OpenTargetOptions): Promise<string> {
  const address = new URL(url);
  address.username = address.password = "";
  try {
    const { status, type } = await withLimits(flags, signal, async (limit) => {
      const response = await fetch(address, { redirect: "manual", signal: limit.signal });
      await response.body?.cancel();
      return { status: response.status, type: response.headers.get("content-type") ?? "" };
    });
    return ` (${/html/i.test(type) ? "a web page" : "an HTTP server"} answers with status ${status})`;
  } catch {
    return "";
  }
}

/** Opens a gRPC address, `http://host:port` or `https://host:port`. Throws a `CliError` if `--wire` is another protocol. */
export function openGrpc(
  address: string,
  flags: TargetFlags,
  host: Pick<CliProcess, "cwd" | "env">,
  options: OpenTargetOptions,
): Promise<TargetConnection> {
  if (flags.wire !== undefined && flags.wire !== "grpc") {
    throw new CliError(EXIT.usage, `A grpc:// address is reached by gRPC, not by --wire ${flags.wire}`);
  }
  const wireOptions = wireOptionsOf(flags, host, options);
  return connectionOf(
    { wire: "grpc", url: address },
    wireOptions,
    besideOf(new URL(address), wireOptions),
    flags,
    options,
  );
}

function wireOptionsOf(
  flags: TargetFlags,
  { cwd, env }: Pick<CliProcess, "cwd" | "env">,
  { fetch }: OpenTargetOptions,
): WireOptions {
  return {
    ...(fetch !== undefined && { fetch }),
    headers: headersOf(flags, env),
    era: flags.era,
    pin: flags.pin === undefined ? undefined : readJsonFile(flags.pin, cwd, "--pin"),
  };
}

/** A try to reach a server over one wire: the connection, or the error. */
interface Attempt {
  readonly opened?: TargetConnection;
  readonly error: ErrorResult;
}

/** Requests the list on a wire. The list is kept, so that the wire is asked once. */
async function tryCandidate(
  connection: TargetConnection,
  flags: TargetFlags,
  options: OpenTargetOptions,
): Promise<Attempt> {
  const result = await withLimits(flags, options.signal, async (limit) => await connection.transport.list(limit));
  if ("kind" in result) {
    await connection.close();
    return { error: result };
  }
  return { opened: { ...connection, tools: () => Promise.resolve(result as readonly ListedTool[]) }, error: NO_ERROR };
}

const NO_ERROR: ErrorResult = { kind: "error", code: "internal", message: "" };

async function connectionOf(
  candidate: Candidate,
  wireOptions: WireOptions,
  beside: Beside,
  flags: TargetFlags,
  options: OpenTargetOptions,
): Promise<TargetConnection> {
  const { wire, url } = candidate;
  const transport = await openWire(wire, url, wireOptions);
  const mcp = isMcpTransport(transport) ? transport : undefined;
  if (mcp !== undefined) options.prepare?.(mcp);
  let opened: Promise<McpTransport | undefined> | undefined;
  return {
    label: url,
    wire,
    url,
    transport,
    tools: listOnce((limit) => transport.list(limit), flags, options, url),
    mcp: async () => mcp ?? await (opened ??= openBeside(beside, flags, options)),
    async close() {
      transport.close?.();
      (await opened)?.close();
    },
  };
}

/** MCP at the same base as the target, for the resources and prompts of targets of another wire. */
interface Beside {
  readonly url: string;
  readonly wireOptions: WireOptions;
  readonly hasCredentials: boolean;
}

/** MCP at the base of a URL. Credentials are for the given URL: an origin has all of its paths, an endpoint has its own alone. */
function besideOf(given: URL, wireOptions: WireOptions): Beside {
  const { era, pin } = wireOptions;
  const hasCredentials = given.pathname === "/";
  return {
    url: `${baseOf(given)}/mcp`,
    hasCredentials,
    wireOptions: hasCredentials ? wireOptions : { era, pin, headers: {} },
  };
}

/** Opens MCP beside the target. `undefined` if it does not answer there. */
async function openBeside(
  { url, wireOptions, hasCredentials }: Beside,
  flags: TargetFlags,
  options: OpenTargetOptions,
): Promise<McpTransport | undefined> {
  const transport = await openWire("mcp", url, wireOptions) as McpTransport;
  options.prepare?.(transport);
  const listed = await withLimits(flags, options.signal, async (limit) => await transport.list(limit));
  if (!("kind" in listed)) return transport;
  transport.close();
  if (!hasCredentials && (listed.code === "unauthenticated" || listed.code === "permission_denied")) {
    options.note?.(
      `Resources and prompts are left out: MCP at ${new URL(url).pathname} needs credentials, which are sent to ` +
        "the given URL alone; give the URL of MCP, or the server's without a path",
    );
  }
  return undefined;
}

/**
 * Whether the error concerns the server, so that other wires need not be tried.
 *
 * @param hasOthers Whether other wires were tried before. Then HTTP has answered, or the port supports HTTP/2 alone.
 */
function isFinal({ code, cause }: ErrorResult, { wire }: Candidate, hasOthers: boolean): boolean {
  if (code === "unavailable") return wire === "grpc" ? !hasOthers : !isHttp2(cause);
  return code === "unauthenticated" || code === "permission_denied" || code === "rate_limited" ||
    code === "deadline_exceeded";
}

/** Whether `fetch` has failed because the server supports HTTP/2 alone, as ports of gRPC do. */
function isHttp2(cause: unknown): boolean {
  return /HTTP(.1| v|_R)|[Pp]arse [Ee]rror|invalid HTTP/.test(withCauses(cause));
}

function connectError(error: ErrorResult, { url }: Candidate): CliError {
  const reported = listError(error, url);
  return new CliError(reported.exitCode, reported.message, { ...reported, step: "connect", hint: remedyOf(error) });
}

function remedyOf({ code }: ErrorResult): string | undefined {
  if (code === "unauthenticated") return "Send a token with --bearer-env NAME or --header, or sign in with --oauth";
  if (code === "unavailable") return "Check the address, and that the server is running";
  return undefined;
}
