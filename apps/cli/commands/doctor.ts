/** `toolwire doctor <url>`: examines the way to a server step by step: which step fails, what was seen, and what to do. */
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import type { ExaminedStep } from "../doctor/steps.ts";
import type { OpenedServer } from "../doctor/examine.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { headersOf, HTTP_FLAGS, type HttpFlags, parseDuration } from "../targets/flags.ts";
import { withLimits } from "../targets/limits.ts";
import { parseTarget } from "../targets/target.ts";
import { printable, printableLine, type Terminal } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/wrap.ts";
import { examine } from "../doctor/examine.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { notingClose } from "../targets/open.ts";
import { openUrl } from "../targets/url.ts";

interface DoctorFlags extends HttpFlags {
  readonly origin?: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

/** Time limit of each request without `--timeout`, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 10_000;

export const doctorCommand: CliCommand = defineCommand<DoctorFlags, [url: string]>({
  usage: "<url> [--origin <origin>] [--bearer-env <NAME>] [--timeout <10s>] [--json]",
  about:
    "Examines the way to a server: name, port, certificate, Host, Origin, CORS, metadata for sign-in, protocol, authentication, list. " +
    "Each step passes, fails or is skipped, with what was seen and what to do. No tool is called.",
  examples: [
    ["toolwire doctor https://example.com/mcp", "Where does the connection fail?"],
    ["toolwire doctor https://example.com/mcp --origin https://app.example", "Can pages of that origin call it?"],
    ["toolwire doctor localhost:8000/mcp --json", "The steps as one JSON object"],
  ],
  parameters: {
    flags: {
      ...HTTP_FLAGS,
      origin: {
        kind: "parsed",
        parse: parseOriginFlag,
        optional: true,
        placeholder: "https://app.example",
        brief: "Origin whose pages have to be able to call the server",
      },
      timeout: {
        kind: "parsed",
        parse: parseDuration,
        optional: true,
        placeholder: "10s",
        brief: "Time limit of each request",
      },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: { kind: "tuple", parameters: [{ brief: "URL of the endpoint", parse: String, placeholder: "url" }] },
  },
  async run(context, flags, text) {
    const target = parseTarget(text, context.host.cwd);
    if (target.kind !== "url" || /^ws/.test(target.url.protocol)) {
      throw new CliError(EXIT.usage, `${JSON.stringify(text)} is not a URL that begins with http:// or https://`);
    }
    return await examineUrl(target.url, flags, context);
  },
});

function parseOriginFlag(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw new TypeError(`${JSON.stringify(text)} is not an origin such as https://app.example`);
}

async function examineUrl(url: URL, flags: DoctorFlags, context: CliContext): Promise<ExitCode> {
  const { timeout: timeoutMs = DEFAULT_TIMEOUT_MS, json, origin } = flags;
  const steps: ExaminedStep[] = [];
  const examined = examine({
    url,
    origin,
    timeoutMs,
    headers: headersOf(flags, context.host.env),
    open: () => openServer(url, { ...flags, timeout: timeoutMs }, context),
  });
  for await (const step of examined) {
    steps.push(step);
    if (json !== true && step.blockedBy === undefined) printStep(step, context.terminal);
  }
  const code = exitCodeFor(steps);
  if (json === true) context.terminal.printJson({ url: url.href, ok: code === EXIT.ok, steps });
  else printBlocked(steps, context.terminal);
  return code;
}

/** Opens the server as other commands do. */
async function openServer(url: URL, flags: DoctorFlags, context: CliContext): Promise<OpenedServer> {
  const signal = context.interruption();
  const connection = notingClose(await openUrl(url, flags, context.host, { signal }), context.terminal);
  try {
    return await describeServer(connection, flags, signal);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

async function describeServer(
  connection: TargetConnection,
  flags: DoctorFlags,
  signal: AbortSignal,
): Promise<OpenedServer> {
  const mcp = connection.wire === "mcp" ? await connection.mcp() : undefined;
  const server = mcp && await withLimits(flags, signal, async (limit) => await mcp.server({ signal: limit.signal }));
  const { name = "", version = "" } = server?.info ?? {};
  return {
    protocol: server === undefined
      ? `${connection.wire} at ${connection.url}`
      : `MCP ${server.revision}: ${name} ${version}`,
    list: async () => (await connection.tools()).length,
    close: () => connection.close(),
  };
}

/** Exit code of the first failed step: `denied` if it was refused for lack of permission, else `unreachable`. */
function exitCodeFor(steps: readonly ExaminedStep[]): ExitCode {
  const first = steps.find(({ status }) => status === "failed");
  if (first === undefined) return EXIT.ok;
  return first.isDenied === true ? EXIT.denied : EXIT.unreachable;
}

const SIGNS = { passed: "✓", failed: "✕", skipped: "–" } as const;
const STYLES = { passed: "green", failed: "red", skipped: "dim" } as const;

/** Width of the names of steps, with the sign. */
const NAME_COLUMNS = 13;

/** The steps that were not reached, in one line. */
function printBlocked(steps: readonly ExaminedStep[], terminal: Terminal): void {
  const names = steps.filter(({ blockedBy }) => blockedBy !== undefined).map(({ name }) => name);
  if (names.length === 0) return;
  const lines = wrapText(`${SIGNS.skipped} not reached: ${names.join(", ")}`, terminal.columns, 2);
  for (const line of lines) terminal.print(terminal.style("dim", line));
}

function printStep({ name, status, seen, remedy }: ExaminedStep, terminal: Terminal): void {
  const title = `${SIGNS[status]} ${name}`.padEnd(NAME_COLUMNS);
  const [first = "", ...rest] = wrapText(printableLine(seen), terminal.columns, NAME_COLUMNS);
  terminal.print(terminal.style(STYLES[status], title) + first);
  for (const line of rest) terminal.print(line);
  if (remedy === undefined) return;
  for (const paragraph of printable(remedy).split("\n")) {
    const [start = "", ...lines] = wrapText(`→ ${paragraph.trim()}`, terminal.columns, NAME_COLUMNS);
    for (const line of [" ".repeat(NAME_COLUMNS) + start, ...lines]) terminal.print(terminal.style("yellow", line));
  }
}
