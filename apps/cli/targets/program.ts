/** Targets that are programs: MCP over their pipes. */
import { resolve } from "node:path";
import { stdioTransport } from "../../../src/wires/mcp/stdio/client/transport.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { CliProcess } from "../terminal/process.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { pinnedTools, programEnvOf, readJsonFile, type TargetFlags } from "./flags.ts";
import { listOnce } from "./limits.ts";
import type { Target } from "./target.ts";

/** Connects to a program by MCP over its pipes. It is started by the first request, and inherits few environment variables. */
export function openProgram(
  { command, args }: Extract<Target, { kind: "program" }>,
  flags: TargetFlags,
  { cwd }: Pick<CliProcess, "cwd">,
  options: OpenTargetOptions,
): TargetConnection {
  const { wire } = flags;
  if (wire !== undefined && wire !== "mcp") {
    throw new CliError(EXIT.usage, `A program is reached by MCP over its pipes, not by --wire ${wire}`);
  }
  const pinned = flags.pin === undefined ? undefined : pinnedTools(readJsonFile(flags.pin, cwd, "--pin"));
  const transport = stdioTransport(command, args, {
    cwd: resolve(cwd, flags.cwd ?? "."),
    env: programEnvOf(flags),
    allTools: true,
    ...(flags.era !== undefined && { era: flags.era }),
    ...(pinned !== undefined && { pinned }),
  });
  options.prepare?.(transport);
  return {
    label: [command, ...args].join(" "),
    wire: "stdio",
    url: undefined,
    transport,
    tools: listOnce((limit) => transport.list(limit), flags, options),
    mcp: () => Promise.resolve(transport),
    close: () => Promise.resolve(transport.close()),
  };
}
