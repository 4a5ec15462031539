/** Serves a proxy until the user ends it: on a port of this machine, or over standard input and output. */
import type { Server } from "../../../src/server/server.ts";
import { releasing } from "../../../src/internal/clean_up.ts";
import { formatBanner } from "../../../src/runtime/banner.ts";
import { serve } from "../../../src/runtime/serve.ts";
import type { CliContext } from "../context.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { serveStdio } from "../../../src/wires/mcp/stdio/server/serve_stdio.ts";

/** Flags of commands that serve until they are ended: `toolwire record`, `replay` and `docs`. */
export interface ServeFlags {
  /** Port. Default: a free one. */
  readonly port?: number;
  /** Serves MCP over standard input and output. */
  readonly stdio?: boolean;
}

/** Parses the number of a port, 0 to 65535. @throws {TypeError} If the text is something else. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port < 65_536) return port;
  throw new TypeError(`${JSON.stringify(text)} is not the number of a port`);
}

/** Definition of the flag `--port` for the parser, in commands that serve. Without it any free port is used. */
export const PORT_FLAG: PortFlag = {
  kind: "parsed",
  parse: parsePort,
  optional: true,
  placeholder: "port",
  brief: "Port. Default: a free one",
};

/** The flag `--port`, as the parser of arguments takes it. */
interface PortFlag {
  readonly kind: "parsed";
  readonly parse: (text: string) => number;
  readonly optional: true;
  readonly placeholder: string;
  readonly brief: string;
}

/**
 * Serves over HTTP on this machine until Ctrl+C, and prints the URL. With `--stdio` it serves MCP over standard input until that ends.
 *
 * @param onStart Called once the port is open, before its URL is printed; with `--stdio` at once.
 */
export async function serveProxy(
  server: Server,
  flags: ServeFlags,
  { terminal, interruption }: CliContext,
  onStart?: () => Promise<void>,
): Promise<void> {
  if (flags.stdio === true) {
    await onStart?.();
    return await serveStdio(server);
  }
  const signal = interruption();
  const listening = await listen(server, flags.port ?? 0);
  await releasing(async () => {
    await onStart?.();
    terminal.note(formatBanner(server, listening.url, undefined));
    terminal.note(terminal.styleNote("dim", "Ctrl+C ends it"));
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      if (signal.aborted) resolve();
    });
  }, () => listening.close());
}

/** Serves a server over HTTP on a port of this machine, 0 for a free one. @throws {CliError} For each error of `serve()`. */
export async function listen(server: Server, port: number): ReturnType<typeof serve> {
  try {
    return await serve(server, { port, graceMs: 1_000 });
  } catch (cause) {
    const hint = port === 0 ? undefined : "Choose another one with --port, or end the program that has it";
    throw new CliError(EXIT.found, `Cannot listen on port ${port}`, { code: "port", cause, hint });
  }
}
