/** One list of tools over four servers of other people. */
import process from "node:process";
import { createRequire } from "node:module";
import { createServer, type OutgoingCall } from "toolwire";
import { gateway, group } from "toolwire/compose";
import { discover } from "toolwire/discovery";
import { mcpTransport } from "toolwire/mcp";
import { toolsFromOpenApi } from "toolwire/openapi";
import { stdioTransport } from "toolwire/stdio";
import { document } from "./company.ts";

const require = createRequire(import.meta.url);
const program = (name: string, ...args: string[]) =>
  stdioTransport(process.execPath, [require.resolve(`${name}/dist/index.js`), ...args]);

/** Credentials of each user, from the assistant's database in reality. */
const headers = ({ principal }: OutgoingCall) => ({ authorization: `Bearer of ${principal?.id ?? "a stranger"}` });

export async function createAssistant(
  options: { folder: string; weather: string; company: string; all?: boolean | undefined },
) {
  return createServer({
    name: "assistant",
    version: "1.0.0",
    tools: toolsFromOpenApi(document, {
      baseUrl: options.company,
      headers,
    }),
    parts: [
      group("files", await gateway("files", program("@modelcontextprotocol/server-filesystem", options.folder))),
      group("every", await gateway("every", program("@modelcontextprotocol/server-everything"))),
      group("weather", await gateway("weather", mcpTransport(options.weather, { headers })), {
        visibleTo: (principal) => principal?.id !== "guest",
      }),
    ],
    ...(options.all === true ? {} : { discovery: discover({ when: "always" }) }),
  });
}
