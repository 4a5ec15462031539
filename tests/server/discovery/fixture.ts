/** Servers with discovery, and what their callers see. */
import {
  type AnyTool,
  createServer,
  defineTool,
  type Logger,
  type memoryTransport,
  type ServerOptions,
} from "../../../mod.ts";
import { discover, type DiscoverOptions, type SearchOutput } from "../../../src/entries/discovery.ts";
import { testClient, type TestClientOptions } from "../../../src/entries/testing.ts";
import { wires } from "../../wires/matrix.ts";

/** A tool that answers with its name. */
export function tool(name: string, description: string) {
  return defineTool(name).describe(description).handle(() => name);
}

/** A logger that writes nothing. */
export const QUIET: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A server that always lists a selection, on every wire of the suites. */
export function serverOf(
  tools: readonly AnyTool[],
  options: DiscoverOptions = {},
  more: Partial<ServerOptions<never>> = {},
) {
  const discovery = discover({ when: "always", ...options });
  return createServer({
    keys: "k1:a secret that only these tests know",
    wires,
    logger: QUIET,
    ...more,
    tools,
    discovery,
  });
}

/** Any server. */
export type AnyServer = Parameters<typeof testClient>[0] & Parameters<typeof memoryTransport>[0];

/** Calls a tool by its name. */
export function call(server: AnyServer, name: string, args: unknown = {}, options: TestClientOptions = {}) {
  return testClient(server, options).$.call(name, args as Record<string, unknown>);
}

/** Searches. */
export async function search(server: AnyServer, input: unknown, options: TestClientOptions = {}) {
  const asked = typeof input === "string" ? { query: input } : input;
  return await call(server, "search_tools", asked, options) as SearchOutput;
}

/** Names of the found tools. */
export async function found(server: AnyServer, input: unknown, options: TestClientOptions = {}) {
  return (await search(server, input, options)).tools.map(({ name }) => name);
}

/** Names of the listed tools. */
export async function listed(server: AnyServer, options: TestClientOptions = {}) {
  return (await testClient(server, options).$.list()).map(({ name }) => name);
}
