/** A call as text to copy: for a shell, a program, a test, a host. */
import { actingAs, hello, origin, token } from "./api.ts";
import type { Json } from "./json_schema.ts";
import { testCode } from "./test_code.ts";
import type { Outcome } from "./outcome.ts";
import type { WireRequest } from "./exchange.ts";

/** A form to copy a call in. */
export interface CopyForm {
  readonly title: string;
  /** Whether it calls the server over MCP and HTTP. */
  readonly needsMcp?: boolean;
  /** @param outcome How the call ended; `undefined` if it was not sent with these arguments. */
  text(tool: string, args: Json, request: WireRequest, outcome?: Outcome): string;
}

const FORMS: readonly CopyForm[] = [
  { title: "curl", text: (_, __, request) => curl(request) },
  { title: "toolwire call", text: toolwireCall },
  { title: "TypeScript client", text: typescript, needsMcp: true },
  { title: "Python (MCP SDK)", text: python, needsMcp: true },
  { title: "Test with testClient", text: (tool, args, _, outcome) => testCode(tool, args, outcome) },
  { title: "AI SDK", text: aiSdk, needsMcp: true },
  { title: "Host configuration", text: hostConfig, needsMcp: true },
];

/** The forms that fit the server. While the page acts as a caller there is no form, because other programs cannot act. A gateway of `toolwire inspect` is left out of them: the server behind it is called. */
export function copyForms(): readonly CopyForm[] {
  if (actingAs.value !== undefined) return [];
  const hasMcp = mcpUrl() !== undefined;
  const isBehind = hello.value?.target !== undefined;
  return FORMS.filter(({ needsMcp, title }) => needsMcp ? hasMcp : title === "toolwire call" || !isBehind || hasMcp);
}

function ownMcpUrl(): string | undefined {
  const path = hello.value?.wires.find(({ wire }) => wire === "mcp")?.paths[0];
  return path && origin.value + path;
}

/** The endpoint of MCP, of the server behind a gateway if there is one. */
function mcpUrl(): string | undefined {
  const { target } = hello.value ?? {};
  return target === undefined ? ownMcpUrl() : /^https?:/.test(target) ? target : undefined;
}

/** Whether a call needs a token. That of a gateway is not for the server behind it. */
function hasToken(): boolean {
  return token.value !== "" && hello.value?.target === undefined;
}

function toolwireCall(tool: string, args: Json): string {
  const bearer = hasToken() ? " --bearer-env TOKEN" : "";
  const target = hello.value?.target ?? mcpUrl() ?? origin.value;
  return `npx toolwire call ${quote(target)} ${quote(tool)} --args ${quote(JSON.stringify(args))}${bearer}`;
}

/** A transport to the server, in TypeScript. */
function transport(): string {
  const headers = hasToken() ? ", { headers: { authorization: `Bearer ${process.env.TOKEN}` } }" : "";
  return `mcpTransport(${JSON.stringify(mcpUrl())}${headers})`;
}

function hostConfig(): string {
  const headers = hasToken() && { headers: { Authorization: "Bearer ${TOKEN}" } };
  const name = (hello.value?.name ?? "").replace(/[^\w-]+/g, "-");
  return pretty({ mcpServers: { [name]: { type: "http", url: mcpUrl() ?? "", ...headers } } });
}

function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function curl({ method, url, headers, body }: WireRequest): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => {
    if (name !== "authorization") return [`  -H ${quote(`${name}: ${value}`)}`];
    return hasToken() ? [`  -H "${name}: Bearer $TOKEN"`] : [];
  });
  const isText = typeof body === "string";
  const bytes = isText ? "" : btoa(Array.from(body, (byte) => String.fromCharCode(byte)).join(""));
  const data = isText ? `--data ${quote(body)}` : "--data-binary @- --output -";
  const to = url === ownMcpUrl() ? mcpUrl() ?? url : url;
  return [`${bytes && `printf %s ${bytes} | base64 -d | `}curl -sS -X ${method} ${quote(to)}`, ...lines, `  ${data}`]
    .join(" \\\n");
}

function typescript(tool: string, args: Json): string {
  return [
    `// The types: npx toolwire types ${oneLine(String(mcpUrl()))} -o contract.ts`,
    `import { createClient } from "toolwire";`,
    `import { mcpTransport } from "toolwire/mcp";`,
    `import type { Contract } from "./contract.ts";`,
    "",
    `const client = createClient<Contract>(${transport()});`,
    `console.log(await client[${JSON.stringify(tool)}](${pretty(args)}));`,
  ].join("\n");
}

function python(tool: string, args: Json): string {
  const headers = hasToken() ? `, headers={"Authorization": "Bearer " + os.environ["TOKEN"]}` : "";
  return [
    hasToken() ? "import asyncio, json, os" : "import asyncio, json",
    "from mcp import ClientSession",
    "from mcp.client.streamable_http import streamablehttp_client",
    "",
    "async def main():",
    `    async with streamablehttp_client(${JSON.stringify(mcpUrl())}${headers}) as (read, write, _):`,
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
    `const tools = await aiSdkTools(createClient(${transport()}));`,
    `// The model may now call ${oneLine(`${tool}, for example with ${JSON.stringify(args)}`)}`,
  ].join("\n");
}

/** Text of a comment. All ends of lines are escaped, because code would follow them. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function pretty(args: Json): string {
  return JSON.stringify(args, null, 2);
}
