/** Starts the program of an entry as its host will, before the entry is written. */
import { monitorFromSignal } from "../../../src/core/call/time_limit.ts";
import { releasing } from "../../../src/internal/clean_up.ts";
import { stdioTransport } from "../../../src/wires/mcp/stdio/client/transport.ts";
import { CliError, withCauses } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { printable } from "../terminal/terminal.ts";
import type { HostProgram } from "./host.ts";

/** Time to start and to list the tools, in milliseconds. Package runners load packages first. */
const TIMEOUT_MS = 60_000;

/** Number of characters of the program's output that an error has. */
const MAX_OUTPUT = 2_000;

/**
 * Starts a program and lists its tools.
 *
 * @param folder Folder in which the host starts it.
 * @throws {CliError} If it does not start, or does not answer.
 */
export async function startOnce(
  { command, args, env, cwd }: HostProgram,
  secrets: Readonly<Record<string, string>>,
  folder: string,
  interruption: AbortSignal,
): Promise<void> {
  let output = "";
  const transport = stdioTransport(command, args, {
    cwd: cwd ?? folder,
    env: { ...env, ...secrets },
    stderr: (text) => void (output = (output + text).slice(-MAX_OUTPUT)),
  });
  await releasing(async () => {
    const signal = AbortSignal.any([interruption, AbortSignal.timeout(TIMEOUT_MS)]);
    const listed = await transport.list(monitorFromSignal(signal));
    if (!("kind" in listed)) return;
    throw new CliError(EXIT.unreachable, `The entry is not written, as its program does not start: ${listed.message}`, {
      code: "not_started",
      hint: `${printable(output.trim() || withCauses(listed.cause))}\nTo write it anyway, add --no-start`,
    });
  }, () => transport.close());
}
