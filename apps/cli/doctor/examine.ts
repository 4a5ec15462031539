/** Examines a URL step by step, from the name of the host to the list of tools. */
import {
  checkAuth,
  checkCors,
  checkHost,
  checkOrigin,
  checkWellKnown,
  failedRequest,
  sendInitialize,
  type Subject,
} from "./http_steps.ts";
import { openPort, resolveHost, verifyCertificate } from "./network_steps.ts";
import type { Probed } from "./probe.ts";
import { explainProtocol } from "./protocol_step.ts";
import { type ExaminedStep, failed, passed, skipped, STEP_NAMES, type StepName, type StepResult } from "./steps.ts";

/** A connection of the client to the examined server, for the steps `protocol` and `list`. */
export interface OpenedServer {
  /** Protocol and version: `MCP 2026-07-28`. */
  readonly protocol: string;
  /** Requests the list of tools and returns their number. Rejects if that fails. */
  list(): Promise<number>;
  close(): Promise<void>;
}

/** Options of {@link examine}. */
export interface ExamineOptions extends Subject {
  /** Opens the server as other commands do. Rejects if no known protocol answers. */
  open(): Promise<OpenedServer>;
}

/** Runs the steps of `toolwire doctor`. Yields each result when it is known; steps that a failure prevents are yielded as skipped. */
export async function* examine(options: ExamineOptions): AsyncGenerator<ExaminedStep> {
  const done = new Set<StepName>();
  const step = (name: StepName, result: StepResult): ExaminedStep => {
    done.add(name);
    return { name, ...result };
  };
  for await (const [name, result, isEnd] of runSteps(options)) {
    yield step(name, result);
    if (!isEnd) continue;
    for (const later of STEP_NAMES) {
      if (!done.has(later)) yield { ...step(later, skipped(`The step ${name} has failed`)), blockedBy: name };
    }
  }
}

/** A step that has been done, and whether it ends the examination. */
type Ran = readonly [name: StepName, result: StepResult, isEnd?: boolean];

async function* runSteps(options: ExamineOptions): AsyncGenerator<Ran> {
  const { url, timeoutMs } = options;
  const { result: dns, addresses } = await resolveHost(url);
  yield ["dns", dns, dns.status === "failed"];
  if (dns.status === "failed") return;
  const tcp = await openPort(url, addresses, timeoutMs);
  yield ["tcp", tcp, tcp.status === "failed"];
  if (tcp.status === "failed") return;
  const tls = await verifyCertificate(url, timeoutMs);
  yield ["tls", tls, tls.status === "failed"];
  if (tls.status !== "failed") yield* runHttpSteps(options);
}

async function* runHttpSteps(given: ExamineOptions): AsyncGenerator<Ran> {
  const found = await findEndpoint(given).catch((thrown: unknown) => failedRequest(thrown));
  if (!("first" in found)) return yield ["host", found, true];
  const { options, first } = found;
  const host = checkHost(options, first);
  yield ["host", host, host.status === "failed"];
  if (host.status === "failed") return;
  yield ["origin", await attempt(() => checkOrigin(options, first))];
  yield ["cors", await attempt(() => checkCors(options))];
  yield ["well-known", await attempt(() => checkWellKnown(options, first))];
  yield* runProtocolSteps(options, first, given.url.pathname === "/");
}

/** Statuses of a path where no server of tools is. */
const ELSEWHERE: readonly number[] = [404, 405];
const DEFAULT_PATHS = ["/mcp", "/mcp-lite/v1/calltools"];

/**
 * The URL that the steps examine, and its first response. At the root of a host, clients try the default paths: one of them is examined if it
 * answers and the root does not, since host, origins and CORS of an application may differ from path to path.
 */
async function findEndpoint(
  options: ExamineOptions,
): Promise<{ readonly options: ExamineOptions; readonly first: Probed }> {
  const first = await sendInitialize(options);
  if (options.url.pathname !== "/" || !ELSEWHERE.includes(first.status)) return { options, first };
  for (const path of DEFAULT_PATHS) {
    const there = { ...options, url: new URL(path, options.url) };
    // Credentials are for the URL alone, until an endpoint answers.
    const { status, text } = await sendInitialize({ ...there, headers: {} });
    // MCP-lite answers 404 to methods that it does not have.
    const isThere = !ELSEWHERE.includes(status) || text.includes('"jsonrpc"');
    if (isThere) return { options: there, first: await sendInitialize(there) };
  }
  return { options, first };
}

async function* runProtocolSteps(options: ExamineOptions, first: Probed, isRoot: boolean): AsyncGenerator<Ran> {
  const auth = checkAuth(options, first);
  if (auth.status === "failed") {
    yield ["protocol", skipped("The server answers after sign-in")];
    return yield ["auth", auth, true];
  }
  const explain = (other: StepResult) => attempt(async () => await explainProtocol(options, first) ?? other);
  // At the root the client tries default paths, so that a page there is not a failure.
  const strange = isRoot ? passed("") : await explain(passed(""));
  if (strange.status === "failed") return yield ["protocol", strange, true];
  const opened = await options.open().catch(toFailure);
  if ("status" in opened) return yield ["protocol", await explain(opened), true];
  try {
    yield ["protocol", passed(opened.protocol)];
    yield ["auth", auth];
    yield ["list", await attempt(async () => passed(countOf(await opened.list())))];
  } finally {
    await opened.close();
  }
}

function countOf(tools: number): string {
  return `${tools} ${tools === 1 ? "tool" : "tools"}`;
}

/** A step that fails with an exception has failed. */
async function attempt(run: () => Promise<StepResult>): Promise<StepResult> {
  return await run().catch(toFailure);
}

function toFailure(thrown: unknown): StepResult {
  const { message = String(thrown), hint, exitCode } = Object(thrown) as {
    readonly message?: string;
    readonly hint?: string;
    readonly exitCode?: number;
  };
  const remedy = hint ?? "Check the log of the server";
  return { ...failed(message, remedy), ...(exitCode === 3 && { isDenied: true }) };
}
