/** Chooses the port of a server, before another process listens on it. */
import { type AddressInfo, createServer } from "node:net";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

const DEFAULT_PORT = 8000;
const LOOPBACK = "127.0.0.1";

/**
 * Returns a port that is free now on 127.0.0.1; it is not reserved. Without `wanted` it is 8000, or any free one if that fails.
 *
 * @throws {CliError} If this process cannot listen on the wanted port, because it is in use or not permitted.
 */
export async function pickPort(wanted: number | undefined): Promise<number> {
  try {
    return await tryPort(wanted ?? DEFAULT_PORT);
  } catch (cause) {
    if (wanted === undefined) return await tryPort(0);
    const { code } = cause as { readonly code?: string };
    throw new CliError(EXIT.found, `Port ${wanted} is not free: ${code ?? String(cause)}`, {
      code: "port",
      cause,
      hint: "Choose another one with --port, or end the program that has it",
    });
  }
}

function tryPort(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => {
      const { port: picked } = server.address() as AddressInfo;
      server.close(() => resolve(picked));
    });
  });
}
