/** Servers with code mode, and what their programs return. */
import { type AnyTool, createServer, type Logger, type Principal, type ServerOptions } from "../../../mod.ts";
import { codeMode, type CodeModeOptions, type ProgramAnswer } from "../../../src/entries/code.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { inline } from "./executors.ts";

/** A logger that writes nothing. */
export const QUIET: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A server with code mode. */
export function serverOf(
  tools: readonly AnyTool[],
  options: Partial<CodeModeOptions> = {},
  more: Partial<ServerOptions<never>> = {},
) {
  return createServer({
    keys: "k1:a secret that only these tests know",
    logger: QUIET,
    ...more,
    tools,
    discovery: codeMode({ executor: inline, ...options }),
  });
}

/** Any server. */
export type AnyServer = Parameters<typeof testClient>[0];

/** Runs a program. */
export async function run(server: AnyServer, source: string, principal?: Principal) {
  return await testClient(server, { principal }).$.call("run_code", { source }) as ProgramAnswer;
}
