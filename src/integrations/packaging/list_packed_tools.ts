/** Starts a packed program, as a host would, and lists its tools. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createCoreClient } from "../../client/core_client.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import { releasing, releasingSync } from "../../internal/clean_up.ts";
import { stdioTransport } from "../../wires/mcp/stdio/client/transport.ts";
import { PackagingError } from "./package_manifest.ts";

const MAX_OUTPUT = 2_000;

/**
 * Starts the program in a temporary folder, lists its tools over standard input and output, and ends it.
 *
 * @param module Where it is from, for errors.
 * @throws {PackagingError} If it does not start; the message has what it printed.
 */
export async function listPackedTools(
  program: string,
  module: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly ListedTool[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-pack-"));
  const file = join(folder, "index.mjs");
  let output = "";
  const args = process.versions["deno"] === undefined ? [file] : ["run", "-A", "--quiet", file];
  const client = createCoreClient(stdioTransport(process.execPath, args, {
    cwd: folder,
    env,
    era: "legacy",
    stderr: (text) => void (output = (output + text).slice(-MAX_OUTPUT)),
  }));
  const release = () => releasingSync(() => client.$.close(), () => rmSync(folder, { recursive: true, force: true }));
  return await releasing(async () => {
    try {
      writeFileSync(file, program);
      return await client.$.list();
    } catch (cause) {
      const reason = output.trim() || (cause as Error).message;
      throw new PackagingError(`Cannot pack ${module}`, [`the packed server does not start: ${reason}`], { cause });
    }
  }, release);
}
