/**
 * The process of `toolwire dev` that serves: a hidden command, started by the visible one with the watcher of the runtime. The watcher
 * restarts it when a file changes that it has loaded.
 */
import process from "node:process";
import { formatBanner } from "../../../src/runtime/banner.ts";
import { type Listening, serve } from "../../../src/runtime/serve.ts";
import type { Server } from "../../../src/server/server.ts";
import { asObject } from "../../../src/internal/json.ts";
import { claimOutput } from "../../../src/wires/mcp/stdio/server/claim_output.ts";
import { CliError, toReportedError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT } from "../exit_codes.ts";
import { loadServer } from "../targets/module.ts";
import { printable } from "../terminal/terminal.ts";
import { formatLoadError } from "./load_error.ts";
import { type DevEvent, type DevSettings, encodeDevEvent, SETTINGS_VARIABLE } from "./messages.ts";

/** Time that running calls have when the module is reloaded, in milliseconds. */
const GRACE_MS = 1_000;

export const devChildCommand: CliCommand = defineCommand({
  usage: "",
  about: "The process of `toolwire dev` that serves the module. It is started by `toolwire dev`.",
  examples: [],
  parameters: {},
  async run({ host }) {
    const settings = readSettings(host.env[SETTINGS_VARIABLE]);
    const output = claimOutput();
    const report = (event: DevEvent): void => void output.write(encodeDevEvent(event));
    endWithParent();
    const startedMs = Date.now();
    const listening = await serveModule(settings, host.cwd, report).catch((thrown: unknown) => {
      report(describeFailure(settings, startedMs, thrown));
      return undefined;
    });
    await untilTerminated();
    await listening?.close();
    report({ kind: "closed" });
    // Exits even if timers or sockets of the module are still active: the watcher waits for it.
    process.exit(EXIT.ok);
  },
});

function readSettings(text: string | undefined): DevSettings {
  try {
    const settings = asObject(JSON.parse(text ?? ""));
    if (typeof settings["module"] === "string") return settings as unknown as DevSettings;
  } catch {
    // The error below says what is missing.
  }
  throw new CliError(EXIT.usage, "This command is started by: toolwire dev <module>");
}

async function serveModule(settings: DevSettings, cwd: string, report: (event: DevEvent) => void): Promise<Listening> {
  const { module, port, keys, wires, colors, consoleKey } = settings;
  const { hasOwnKey, toDevServer } = await import("./dev_server.ts");
  const write = (line: string): void => void process.stderr.write(`${line}\n`);
  const loaded = await loadServer(module, cwd);
  const isOwnKey = (wires ?? loaded.wires).includes("console") && hasOwnKey(loaded);
  const server = toDevServer(loaded, { keys, wires, colors, consoleKey, write });
  // Native gRPC beside Connect, on the same port.
  const hasGrpc = server.wires.includes("connect");
  const listening = await serve(server, { port, graceMs: GRACE_MS, ...(hasGrpc && { grpc: true }) });
  report({
    kind: "serving",
    banner: withKey(formatBanner(server, listening.url, listening.grpcUrl), isOwnKey ? undefined : consoleKey),
    tools: countTools(server),
  });
  return listening;
}

/** The key of the console that was added is part of its link: a fragment is in no request. */
function withKey(banner: string, key: string | undefined): string {
  return key === undefined ? banner : banner.replace(/^ +console +\S+/m, (row) => `${row}#key=${key}`);
}

function countTools({ tools }: Server): number {
  return tools.filter((tool) => tool["@type"] !== "system").length;
}

/** Codes of errors that no change of the module mends. */
const FINAL_CODES: ReadonlySet<string> = new Set(["unknown_wire", "other_copy"]);

/** The error that prevented the server from being served: of the module, with its stack, or of the program. */
function describeFailure({ module }: DevSettings, startedMs: number, thrown: unknown): DevEvent {
  const { message, hint, code } = toReportedError(thrown);
  if (code === "module_failed") {
    const detail = formatLoadError((thrown as Error).cause);
    return { kind: "failed", message: `Cannot load ${module}`, detail, startedMs };
  }
  const detail = thrown instanceof CliError ? "" : formatLoadError(thrown);
  return {
    kind: "failed",
    message: printable(message),
    detail,
    startedMs,
    ...(hint !== undefined && { hint: printable(hint) }),
    ...(FINAL_CODES.has(code) && { isFinal: true }),
  };
}

/** Resolves when the watcher ends this process, to restart it or to end it. */
function untilTerminated(): Promise<void> {
  // A failed module leaves nothing else that keeps the process alive.
  const alive = setInterval(() => {}, 60_000);
  return new Promise((resolve) => {
    process.once("SIGTERM", () => {
      clearInterval(alive);
      resolve();
    });
  });
}

/** Ends this process, and the watcher of Node, if the parent has ended without a word. Its end closes the pipe to the input. */
function endWithParent(): void {
  process.stdin.on("end", () => {
    if (!("Bun" in globalThis) && !("Deno" in globalThis)) process.kill(process.ppid, "SIGKILL");
    process.kill(process.pid, "SIGKILL");
  });
  process.stdin.resume();
}
