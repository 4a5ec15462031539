/**
 * The program that the client suite of `@modelcontextprotocol/conformance` drives: what to do is named by the environment, the
 * server by the last argument.
 */
import process from "node:process";
import { createClient, type ToolError } from "../../mod.ts";
import { readSkills } from "../../src/entries/skills.ts";
import { type McpTransport, mcpTransport } from "../../src/entries/mcp.ts";
import { type Context, fetchFor } from "./client_oauth.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;

/** One call of a tool, as the suite names it. */
interface NamedCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

const transport: McpTransport = mcpTransport(url, {
  clientInfo: { name: "toolwire-conformance", version: "1.0.0" },
  // The suite says which wire it wants to see; where it does not, it is found out.
  ...(revision !== undefined && { era: revision === "2026-07-28" ? "auto" : "legacy" }),
  ...(scenario.startsWith("auth/") && { fetch: await fetchFor(scenario, url, context) }),
});
const client = createClient(transport, {
  onElicitation: ({ schema }) => {
    const asksToConfirm = Object.hasOwn((schema?.["properties"] ?? {}) as object, "confirmed");
    return { action: "accept", content: asksToConfirm ? { confirmed: true } : {} };
  },
});

const ACTIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  tools_call: () => client.$.call("add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": () => client.$.call("test_client_elicitation_defaults"),
  "sse-retry": () => client.$.call("test_reconnection"),
  "http-standard-headers": readEverything,
  "sep-2640-client-no-prefetch": () => readSkills(transport).list(),
  "sep-2640-client-verify-digest": readVerified,
  "sep-2640-client-verify-size": readVerified,
  "sep-2640-client-verify-frontmatter": readVerified,
  "http-custom-headers": async () => {
    for (const { name, arguments: args } of context["toolCalls"] as readonly NamedCall[]) {
      await client.$.call(name, args);
    }
  },
  "http-invalid-tool-headers": async () => {
    for (const { name } of await client.$.list()) await client.$.call(name, { region: "us-west1" });
  },
  "sep-2322-client-request-state": async () => {
    for (
      const name of ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"]
    ) {
      await client.$.call(name);
    }
  },
  "json-schema-2020-12-preservation": async () => {
    const tools = await client.$.list();
    const { inputSchema: schema } = tools.find(({ name }) => name === "json_schema_2020_12_tool") ?? {};
    for (const { name } of tools) if (name !== "json_schema_2020_12_tool") await client.$.call(name, { schema });
  },
};

/** Reads the files of each skill, as long as each is what was listed. */
async function readVerified(): Promise<void> {
  const reader = readSkills(transport);
  for (const skill of await reader.list()) {
    try {
      for (const { uri } of skill.resources === "dynamic" ? [] : skill.resources) await reader.read(skill, uri);
    } catch (error) {
      if ((error as ToolError).code !== "permission_denied") throw error;
    }
  }
}

async function readEverything(): Promise<void> {
  for (const { name } of await client.$.list()) await client.$.call(name, {});
  for (const { uri } of await transport.resources.list()) await transport.resources.read(uri);
  for (const { name } of await transport.prompts.list()) await transport.prompts.get(name);
}

try {
  await client.$.list();
  if (scenario.startsWith("auth/")) await client.$.call("test-tool");
  await ACTIONS[scenario]?.();
} finally {
  client.$.close();
}
