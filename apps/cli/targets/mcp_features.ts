/** Resources, prompts and completion of a target. */
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { TargetConnection } from "./connection.ts";
import { DEFAULT_TIMEOUT_MS, type TargetFlags } from "./flags.ts";

/**
 * Returns the MCP transport of a target, for commands that need resources, prompts or completion.
 *
 * @throws {CliError} If the target does not support MCP.
 */
export async function requireMcp(connection: TargetConnection): Promise<McpTransport> {
  const transport = await connection.mcp();
  if (transport !== undefined) return transport;
  throw new CliError(EXIT.refused, `The wire ${connection.wire} has tools alone, and MCP does not answer at /mcp`, {
    code: "unsupported",
    hint: "Resources and prompts need MCP: give its URL",
    url: connection.url,
  });
}

/** Limits of a request: the signal of the command, and the time of `--timeout`, by default 30 s. */
export function requestLimits(
  { timeout: timeoutMs = DEFAULT_TIMEOUT_MS }: TargetFlags,
  signal: AbortSignal,
): { readonly signal: AbortSignal; readonly timeoutMs: number } {
  return { signal, timeoutMs };
}
