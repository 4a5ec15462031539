/** A call as text to copy: for a shell, a program, a test, a host. */
import { hello, origin } from "./api.ts";
import type { Json } from "./json_schema.ts";
import type { WireRequest } from "./wires.ts";

/** A form to copy a call in. */
export interface CopyForm {
  readonly title: string;
  text(tool: string, args: Json, request: WireRequest): string;
}

export const COPY_FORMS: readonly CopyForm[] = [
  { title: "curl", text: (_, __, request) => curl(request) },
  {
    title: "toolwire call",
    text: (tool, args) => `npx toolwire call ${quote(mcpUrl())} ${quote(tool)} --args ${quote(JSON.stringify(args))}`,
  },
  { title: "TypeScript client", text: typescript },
  { title: "Python (MCP SDK)", text: python },
  { title: "Test with testClient", text: testCode },
  { title: "AI SDK", text: aiSdk },
];

function mcpUrl(): string {
  const path = hello.value?.wires.find(({ wire }) => wire === "mcp")?.paths[0] ?? "";
  return origin.value + path;
}

function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function curl({ method, url, headers, body }: WireRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    const shown = name === "authorization" ? "Bearer $TOKEN" : value;
    return `  -H ${name === "authorization" ? `"${name}: ${shown}"` : quote(`${name}: ${shown}`)}`;
  });
  return [`curl -sS -X ${method} ${quote(url)}`, ...lines, `  --data ${quote(body)}`].join(" \\\n");
}

function typescript(tool: string, args: Json): string {
  return [
    `import { createClient } from "toolwire";`,
    `import { mcpTransport } from "toolwire/mcp";`,
    "",
    `const client = createClient(mcpTransport(${JSON.stringify(mcpUrl())}));`,
    `console.log(await client.$.call(${JSON.stringify(tool)}, ${pretty(args)}));`,
  ].join("\n");
}

function testCode(tool: string, args: Json): string {
  return [
    `import { testClient } from "toolwire/testing";`,
    `import { deepStrictEqual } from "node:assert/strict";`,
    `import { test } from "node:test";`,
    `import { server } from "./server.ts";`,
    "",
    `test(${JSON.stringify(`${tool} answers`)}, async () => {`,
    "  const client = testClient(server);",
    `  const answer = await client.$.call(${JSON.stringify(tool)}, ${pretty(args).replaceAll("\n", "\n  ")});`,
    "  deepStrictEqual(answer, {});",
    "});",
  ].join("\n");
}

function python(tool: string, args: Json): string {
  return [
    "import asyncio, json",
    "from mcp import ClientSession",
    "from mcp.client.streamable_http import streamablehttp_client",
    "",
    "async def main():",
    `    async with streamablehttp_client(${JSON.stringify(mcpUrl())}) as (read, write, _):`,
    "        async with ClientSession(read, write) as session:",
    "            await session.initialize()",
    `            arguments = json.loads(${JSON.stringify(JSON.stringify(args))})`,
    `            print(await session.call_tool(${JSON.stringify(tool)}, arguments))`,
    "",
    "asyncio.run(main())",
  ].join("\n");
}

function aiSdk(tool: string, args: Json): string {
  return [
    `import { createClient } from "toolwire";`,
    `import { aiSdkTools } from "toolwire/agents";`,
    `import { mcpTransport } from "toolwire/mcp";`,
    "",
    `const tools = await aiSdkTools(createClient(mcpTransport(${JSON.stringify(mcpUrl())})));`,
    `// The model may now call ${tool}, for example with ${JSON.stringify(args)}`,
  ].join("\n");
}

function pretty(args: Json): string {
  return JSON.stringify(args, null, 2);
}
