/** `toolwire migrate` over methods that are not MCP's: they are members of `mcp({ methods })`. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

test("migrate: methods of 2.x are members of mcp({ methods }), with their schemas", { skip }, async () => {
  const { files, code, errors } = await migrate({
    "server.ts": `import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const Params = z.object({ query: z.string() });
const Result = z.object({ items: z.array(z.string()) });
function build() {
  const server = new McpServer({ name: "a", version: "1.0.0" });
  // Searches.
  server.server.setRequestHandler("acme/search", { params: Params, result: Result }, async ({ query }, ctx) => {
    await ctx.mcpReq.log("notice", query);
    return { items: [query] };
  });
  return server;
}
void serveStdio(build);
`,
  });
  const text = files["server.ts"] ?? "";
  match(
    text,
    /mcp\(\{ methods: \{ "acme\/search": \{ params: Params, result: Result, handle: async \(\{ query \}, ctx\) => \{\n *ctx\.log\("notice", query\);\n *return \{ items: \[query\] \};\n *\} \} \} \}\)/,
  );
  match(text, /\/\/ Searches\.\n/);
  deepStrictEqual([code, text.includes("setRequestHandler")], [0, false], errors);
});

test(
  "migrate: methods of 1.x receive the parameters of their schema, and keep numbers that are the server's",
  { skip },
  async () => {
    const { files } = await migrate({
      "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const Stats = z.object({ method: z.literal("acme/stats"), params: z.object({ since: z.number().optional() }).optional() });
const server = new McpServer({ name: "a", version: "1.0.0" });
server.server.setRequestHandler(Stats, async (request) => {
  if (request.params?.since === 7) throw new McpError(-32010, "Seven");
  return { calls: request.params?.since ?? 3 };
});
server.server.setRequestHandler(z.object({ method: z.literal("acme/reset") }), ({ params }) => ({ was: params }));
await server.connect(new StdioServerTransport());
`,
    });
    const text = files["server.ts"] ?? "";
    match(
      text,
      /"acme\/stats": \{ params: z\.object\(\{ since: z\.number\(\)\.optional\(\) \}\), errors: \{ error_32010: -32010 \}, handle: async \(methodParams\) => \{\n *if \(methodParams\?\.since === 7\) throw new Failure\("error_32010", "Seven"\);\n *return \{ calls: methodParams\?\.since \?\? 3 \};/,
    );
    match(text, /"acme\/reset": \{ handle: \(params\) => \(\{ was: params \}\) \}/);
    strictEqual(text.includes("@toolwire-todo"), false, text);
  },
);

test(
  "migrate: methods of MCP, without a prefix, or that read more of the request stay, and are listed",
  { skip },
  async () => {
    const { files, code } = await migrate({
      "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
export const server = new McpServer({ name: "a", version: "1.0.0" });
server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
server.server.setRequestHandler(z.object({ method: z.literal("stats") }), () => ({ a: 1 }));
server.server.setRequestHandler(z.object({ method: z.literal("ui/open") }), () => ({ a: 2 }));
server.server.setRequestHandler(z.object({ method: z.literal("acme/echo") }), (request) => ({ method: request.method }));
`,
    });
    const text = files["server.ts"] ?? "";
    for (const part of ["ListToolsRequestSchema", 'literal("stats")', 'literal("ui/open")', "request.method"]) {
      match(
        text,
        new RegExp(
          `@toolwire-todo Handlers of requests.*\n// server\\.server\\.setRequestHandler\\(.*${
            part.replace(/[(/.)]/g, "\\$&")
          }`,
        ),
      );
    }
    strictEqual(code, 1);
  },
);
