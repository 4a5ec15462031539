/** `toolwire stdio <module>`: serves the server of a module over standard input and output, as desktop hosts start it. */
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { MODULE_FLAGS, type ModuleFlags, principalOf } from "../targets/flags.ts";
import { loadServer } from "../targets/module.ts";
import { serveStdio } from "../../../src/wires/mcp/stdio/server/serve_stdio.ts";

export const stdioCommand: CliCommand = defineCommand<ModuleFlags, [module: string]>({
  usage: "<module> [--principal <id>] [--scopes <scope>,<scope>]",
  about:
    "Serves the server that the module exports, as default or as `server`, over standard input and output: MCP. Options of its wire " +
    "mcp({ … }) apply. Without --principal and --scopes the caller has every scope.",
  examples: [
    ["toolwire stdio ./server.ts", "Serve the default export"],
    ["toolwire stdio ./tools.ts#admin --principal ada --scopes docs:read", "Serve the export `admin`, with one scope"],
  ],
  parameters: {
    flags: MODULE_FLAGS,
    positional: {
      kind: "tuple",
      parameters: [{ brief: "Module, or module#export", parse: String, placeholder: "module" }],
    },
  },
  async run(context: CliContext, flags, module) {
    const server = await loadServer(module, context.host.cwd);
    const principal = principalOf(flags);
    await serveStdio(server, principal === undefined ? {} : { principal });
  },
});
