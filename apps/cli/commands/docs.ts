/** `toolwire docs`: serves the documentation of this version over MCP. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT } from "../exit_codes.ts";
import { PORT_FLAG, serveProxy } from "../record/serve_proxy.ts";

interface DocsFlags {
  readonly http?: boolean;
  readonly port?: number;
}

export const docsCommand: CliCommand = defineCommand<DocsFlags>({
  usage: "[--http] [--port <port>]",
  about:
    "Serves the documentation of this version of Toolwire, for agents: the tools search_docs and read_page, a resource for each page, and " +
    "the skills of the package. Over standard input and output (MCP), as hosts start it; with --http or --port on this machine.",
  examples: [
    ["toolwire install cursor --name toolwire-docs -- npx -y toolwire docs", "A host starts it"],
    ['toolwire call search_docs query="ask the user" -- npx toolwire docs', "A search from the command line"],
    ["toolwire docs --port 8000", "Over HTTP: MCP at /mcp, MCP-lite at /mcp-lite/v1"],
  ],
  parameters: {
    flags: {
      http: { kind: "boolean", optional: true, brief: "Serve over HTTP, on this machine", withNegated: false },
      port: PORT_FLAG,
    },
  },
  async run(context, { http, port }) {
    const root = findRoot(import.meta.url);
    const { createDocsServer } = await import("../docs/docs_server.ts");
    const server = await createDocsServer(root);
    const isHttp = http === true || port !== undefined;
    if (!isHttp && context.host.stdin.isTTY === true) {
      context.terminal.note("Serves MCP over standard input and output, for a host. --http serves it on a port");
    }
    await serveProxy(server, isHttp ? { ...(port !== undefined && { port }) } : { stdio: true }, context);
  },
});

/** The folder of the package: the nearest one above a module of it that has the documentation and the skills. */
function findRoot(module: string): string {
  let folder = module.startsWith("file:") ? dirname(fileURLToPath(module)) : "/";
  for (; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "docs/README.md")) && existsSync(join(folder, "skills"))) return folder;
  }
  throw new CliError(EXIT.found, "Cannot serve the documentation: this copy of Toolwire was installed without it", {
    hint: "The npm package has it: npx toolwire docs, or deno run -A npm:toolwire docs",
  });
}
