import { createServer, defineTool, type Server } from "../../../mod.ts";
import { protectedResourcePage } from "../../../src/entries/auth.ts";
import { STATELESS } from "../../wires/descriptions/all.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";
import type { Auth } from "../../../src/entries/wire.ts";

/** Metadata URL in the challenges. */
export const METADATA_URL = "https://api.example/.well-known/oauth-protected-resource";

/** Creates a server with `auth`, and the list of its handler runs. */
export function createGuarded(auth: Auth) {
  const log = new KeptLog();
  const runs: (string | undefined)[] = [];
  const server: Server = createServer({
    tools: [
      defineTool("ping").describe("Answer").handle((_, { principal }) => void runs.push(principal?.id)),
      defineTool("write").describe("Write").scopes("docs:read", "docs:write").handle((_, { principal }) =>
        void runs.push(principal?.id)
      ),
    ],
    wires: [
      ...STATELESS,
      protectedResourcePage({ resource: "https://api.example/", authorizationServers: ["https://login.example"] }),
    ],
    auth,
    logger: log,
  });
  return { server, log, runs };
}

/** Posts to a server in process. */
export function post(
  server: Pick<Server, "fetch">,
  path: string,
  body: BodyInit,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
  return server.fetch(new Request(`https://api.example${path}`, init));
}

/** Calls a tool by MCP-lite. */
export function call(
  server: Pick<Server, "fetch">,
  tool: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const request = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: tool, arguments: {} } };
  return post(server, "/mcp-lite/v1/calltools", JSON.stringify(request), headers);
}

/** Calls a tool by MCP-lite, with a bearer token. */
export function callAs(server: Pick<Server, "fetch">, tool: string, token: string): Promise<Response> {
  return call(server, tool, { authorization: `Bearer ${token}` });
}
