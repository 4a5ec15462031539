/** Whether a module's server is made by the copy of Toolwire that this program is part of. Parts of two copies do not fit together. */
import type { WireHost } from "../../../src/entries/wire.ts";
import type { Server } from "../../../src/server/server.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

/**
 * Checks that a module's server is made by the copy of Toolwire that runs, which may be another one if it is installed globally.
 *
 * @throws {CliError} If the server is made by another copy.
 */
export async function assertSameCopy(server: Server, file: string): Promise<void> {
  // The module has loaded it already, if both are one copy.
  const { createServer } = await import("../../../src/entries/core.ts");
  const [own] = makersOf(createServer({ tools: [] }));
  if (makersOf(server).includes(own)) return;
  throw new CliError(
    EXIT.usage,
    `Cannot load ${file}: its server is made by another copy of Toolwire than this program`,
    {
      code: "other_copy",
      hint:
        "Run the copy that the module imports: npx toolwire or bunx toolwire in its project, or deno run -A with the specifier " +
        "that the module imports, followed by /cli",
    },
  );
}

/** Classes of the server's dispatchers. With discovery, a host inherits from another one. */
function makersOf(server: Server): readonly unknown[] {
  const makers: unknown[] = [];
  let host: unknown = server["~server"].host;
  for (; typeof host === "object" && host !== null; host = Object.getPrototypeOf(host)) {
    makers.push((host as Partial<WireHost>).dispatch?.constructor);
  }
  return makers;
}
