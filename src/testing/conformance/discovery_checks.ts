/** MCP-lite 3.1 and 3.9: the list of tools and its definitions, on every binding. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import { judge, judgeAll, must, type ServerCheck, type Verdict } from "./check.ts";
import type { McpLiteServer } from "./mcp_lite_server.ts";

/** Judges each definition by one rule. */
async function judgeTools(
  server: McpLiteServer,
  complies: (tool: Members) => boolean,
  fault: string,
): Promise<Verdict> {
  const { tools, reply } = await server.tools();
  return judgeAll(tools, reply, complies, (tool) => `The tool ${JSON.stringify(tool["name"])} ${fault}`);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Whether a value is a JSON Schema of an object, as far as its form shows. */
function isObjectSchema(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { type = "object", properties = {}, required = [] } = schema;
  const isList = Array.isArray(required) && required.every((name) => typeof name === "string");
  return type === "object" && isJsonObject(properties) && isList;
}

/** Checks of the list of tools on every binding: unique names, `redeem`, and name, description and schema of each definition. */
export const DISCOVERY_CHECKS: readonly ServerCheck<McpLiteServer>[] = [
  must("3.1", "list", "The server gives a list of its tools", "an array of definitions", async (server) => {
    const reply = await server.list();
    return judge(reply.tools !== undefined, reply);
  }),

  must("3.1", "unique-names", "The names of tools are unique", "no name twice", async (server) => {
    const { tools, reply } = await server.tools();
    const names = tools.map(({ name }) => name);
    return judgeAll(names, reply, (name) => names.indexOf(name) === names.lastIndexOf(name), (name) => {
      return `The name ${JSON.stringify(name)} is in the list twice`;
    });
  }),

  must(
    "3.1",
    "redeem-listed",
    "A server that gives promises lists the tool redeem",
    "an entry with the name redeem",
    async (server) => {
      await server.token();
      const { tools, reply } = await server.tools();
      return judge(tools.some(({ name }) => name === "redeem"), reply, "The list has no redeem");
    },
  ),

  must("3.9", "name", "Each definition has a name", "name: a text that is not empty", (server) => {
    return judgeTools(server, ({ name }) => isText(name), "has no name");
  }),

  must("3.9", "description", "Each definition has a description", "description: a text that is not empty", (server) => {
    return judgeTools(server, ({ description }) => isText(description), "has no description");
  }),

  must(
    "3.9",
    "input-schema",
    "Each definition has a schema of its arguments",
    "inputSchema: a JSON Schema of an object",
    (server) => judgeTools(server, ({ inputSchema }) => isObjectSchema(inputSchema), "has no schema of an object"),
  ),
];
