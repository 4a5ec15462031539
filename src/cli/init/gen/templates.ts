/** Generated from templates/ by scripts/templates.mjs. */
type Texts = Readonly<Record<string, string>>;
/** Files of every template, by path. */
export const SHARED_FILES: Texts = {
  "AGENTS.md":
    "# {{name}}\n\nA server of tools for agents, made with [Toolwire](https://www.npmjs.com/package/toolwire): each tool is defined once and served on\nevery wire (MCP, MCP-lite, and others that `createServer({ wires })` lists).\n\n## Commands\n\n- `{{dev}}` serves with reload\n- `{{test}}` runs the tests\n- `{{check}}` checks the types\n- `{{toolwire}} list ./server.ts` lists the tools; `{{toolwire}} call ./server.ts greet name=Ada` calls one\n\n## Where things are\n\n- `server.ts` defines the tools and exports `server`. It must not listen: hosts and tests import it.\n- `server_test.ts` tests the tools with `testClient(server)`, without a network.\n{{files}}\n\n## Rules\n\n- A tool is `defineTool(name).describe(text).input(schema).output(schema).handle(run)`. Names are `snake_case`; descriptions are written for\n  models.\n- Expected failures are declared with `.errors({ code: schema })` and thrown: `throw ctx.fail(code, message, data)`. Any other exception\n  reaches callers as `internal`, without its text.\n- Work that takes longer than its caller should wait: `.promise({ budgetMs })`. Questions to the user: `ctx.elicit(…)`.\n- Handlers observe `ctx.signal`. Nothing is written to standard output except by the server.\n- Test each tool: one answer, one refused input.\n\nRead `node_modules/toolwire/docs/tools.md`, `serving.md` and `testing.md` before you change tools; `docs/README.md` there lists all pages.\n",
  "CLAUDE.md": "@AGENTS.md\n",
  "README.md":
    "# {{name}}\n\nTools for agents, made with [Toolwire](https://www.npmjs.com/package/toolwire).\n\n| | |\n|---|---|\n| `{{dev}}` | serves at {{url}}, with reload |\n| `{{test}}` | runs the tests |\n| `{{check}}` | checks the types |\n| `{{toolwire}} install claude-desktop ./server.ts` | adds the server to Claude Desktop; `cursor`, `vscode`, `codex` and others are hosts, too |\n\nThe tools are in `server.ts`. Call one: `{{toolwire}} call ./server.ts greet name=Ada`.\n",
  "_gitignore": "node_modules\n.env\n.env.*\n*.mcpb\n*.bak\n",
  "server.ts":
    '/** The tools. Add yours beside these; server_test.ts shows how to test them. */\nimport { createServer, defineTool } from "toolwire";\nimport * as v from "toolwire/schema";\n\nconst greet = defineTool("greet")\n  .describe("Greet someone by name")\n  .input(v.object({ name: v.pipe(v.string(), v.minLength(1)) }))\n  .output(v.string())\n  .annotate({ readOnlyHint: true })\n  .handle(({ name }) => `Hello, ${name}!`);\n\nconst countDown = defineTool("count_down")\n  .describe("Count down to 1, a number at a time")\n  .input(v.object({ from: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)) }))\n  .annotate({ readOnlyHint: true })\n  .handle(async function* ({ from }, ctx) {\n    for (let left = from; left > 0; left--) {\n      ctx.signal.throwIfAborted();\n      yield left;\n    }\n    return "done";\n  });\n\nexport const server = createServer({ name: "{{name}}", version: "0.1.0", tools: [greet, countDown] });\n',
  "server_test.ts":
    'import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";\nimport { test } from "node:test";\nimport { testClient } from "toolwire/testing";\nimport { server } from "./server.ts";\n\nconst client = testClient(server);\n\ntest("greet answers with the name", async () => {\n  strictEqual(await client.greet({ name: "Ada" }), "Hello, Ada!");\n});\n\ntest("greet refuses an empty name", async () => {\n  await rejects(client.greet({ name: "" }), { code: "invalid_input" });\n});\n\ntest("count_down streams its numbers", async () => {\n  const stream = client.count_down.stream({ from: 3 });\n  const numbers: number[] = [];\n  for await (const number of stream) numbers.push(number);\n  deepStrictEqual(numbers, [3, 2, 1]);\n  strictEqual(await stream.result, "done");\n});\n',
};
/** Files of each template, by path. */
export const TEMPLATE_FILES: Readonly<Record<string, Texts>> = {
  "bun": {
    "main.ts":
      '/** Serves the tools over HTTP. */\nimport process from "node:process";\nimport { serve } from "toolwire/serve";\nimport { server } from "./server.ts";\n\nconst port = Number(process.env["PORT"] ?? 8000);\nawait serve(server, { port, banner: true, signals: ["SIGINT", "SIGTERM"] });\n',
    "package.json":
      '{\n  "name": "{{name}}",\n  "version": "0.1.0",\n  "private": true,\n  "type": "module",\n  "scripts": {\n    "dev": "bun --watch main.ts",\n    "start": "bun main.ts",\n    "test": "bun test",\n    "check": "tsc"\n  },\n  "dependencies": { "toolwire": "^{{version}}" },\n  "devDependencies": {\n    "@types/bun": "^1.4.4",\n    "typescript": "^7.0.2"\n  }\n}\n',
    "tsconfig.json":
      '{\n  "compilerOptions": {\n    "target": "es2023",\n    "lib": ["ES2024", "ESNext.Disposable"],\n    "module": "nodenext",\n    "types": ["bun"],\n    "strict": true,\n    "exactOptionalPropertyTypes": true,\n    "noUncheckedIndexedAccess": true,\n    "verbatimModuleSyntax": true,\n    "erasableSyntaxOnly": true,\n    "allowImportingTsExtensions": true,\n    "skipLibCheck": true,\n    "noEmit": true\n  },\n  "exclude": ["node_modules"]\n}\n',
  },
  "deno": {
    "deno.json":
      '{\n  "name": "@local/{{name}}",\n  "version": "0.1.0",\n  "tasks": {\n    "dev": "deno run -A --watch main.ts",\n    "start": "deno run -A main.ts",\n    "test": "deno test -A",\n    "check": "deno check"\n  },\n  "imports": {\n    "toolwire": "npm:toolwire@^{{version}}",\n    "toolwire/": "npm:/toolwire@^{{version}}/"\n  },\n  "nodeModulesDir": "auto",\n  "compilerOptions": {\n    "strict": true,\n    "exactOptionalPropertyTypes": true,\n    "noUncheckedIndexedAccess": true,\n    "verbatimModuleSyntax": true\n  }\n}\n',
    "main.ts":
      '/** Serves the tools over HTTP. */\nimport process from "node:process";\nimport { serve } from "toolwire/serve";\nimport { server } from "./server.ts";\n\nconst port = Number(process.env["PORT"] ?? 8000);\nawait serve(server, { port, banner: true, signals: ["SIGINT", "SIGTERM"] });\n',
  },
  "hono": {
    "main.ts":
      '/** A Hono app with the tools below its root: /mcp and /mcp-lite/v1. */\nimport { serve } from "@hono/node-server";\nimport { Hono } from "hono";\nimport process from "node:process";\nimport { server } from "./server.ts";\n\nconst app = new Hono();\napp.get("/", (context) => context.text("The tools are at /mcp and /mcp-lite/v1"));\nfor (const path of ["/mcp", "/mcp-lite/v1/*"]) app.all(path, (context) => server.fetch(context.req.raw));\n\nconst port = Number(process.env["PORT"] ?? 8000);\nserve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => console.log(`Listening on http://127.0.0.1:${port}`));\n',
    "package.json":
      '{\n  "name": "{{name}}",\n  "version": "0.1.0",\n  "private": true,\n  "type": "module",\n  "engines": { "node": ">=22.18" },\n  "scripts": {\n    "dev": "node --watch main.ts",\n    "start": "node main.ts",\n    "test": "node --test \\"**/*_test.ts\\"",\n    "check": "tsc"\n  },\n  "dependencies": {\n    "@hono/node-server": "^2.1.8",\n    "hono": "^4.13.19",\n    "toolwire": "^{{version}}"\n  },\n  "devDependencies": {\n    "@types/node": "^26.6.6",\n    "typescript": "^7.0.2"\n  }\n}\n',
    "tsconfig.json":
      '{\n  "compilerOptions": {\n    "target": "es2023",\n    "lib": ["ES2024", "ESNext.Disposable"],\n    "module": "nodenext",\n    "types": ["node"],\n    "strict": true,\n    "exactOptionalPropertyTypes": true,\n    "noUncheckedIndexedAccess": true,\n    "verbatimModuleSyntax": true,\n    "erasableSyntaxOnly": true,\n    "allowImportingTsExtensions": true,\n    "skipLibCheck": true,\n    "noEmit": true\n  },\n  "exclude": ["node_modules"]\n}\n',
  },
  "next": {
    "_gitignore": "node_modules\n.next\nnext-env.d.ts\n.env\n.env.*\n*.mcpb\n*.bak\n*.tsbuildinfo\n",
    "app/layout.tsx":
      'import type { ReactNode } from "react";\n\nexport const metadata = { title: "{{name}}" };\n\nexport default function Layout({ children }: { readonly children: ReactNode }) {\n  return (\n    <html lang="en">\n      <body>{children}</body>\n    </html>\n  );\n}\n',
    "app/mcp-lite/v1/[endpoint]/route.ts":
      'import { server } from "../../../../server.ts";\n\nconst handle = (request: Request) => server.fetch(request);\n\nexport { handle as GET, handle as POST };\n',
    "app/mcp/route.ts":
      'import { server } from "../../server.ts";\n\nconst handle = (request: Request) => server.fetch(request);\n\nexport { handle as DELETE, handle as GET, handle as POST };\n',
    "app/page.tsx": "export default function Page() {\n  return <p>The tools are at /mcp and /mcp-lite/v1</p>;\n}\n",
    "package.json":
      '{\n  "name": "{{name}}",\n  "version": "0.1.0",\n  "private": true,\n  "type": "module",\n  "engines": { "node": ">=22.18" },\n  "scripts": {\n    "dev": "next dev --port 8000",\n    "build": "next build",\n    "start": "next start --port 8000",\n    "test": "node --test server_test.ts",\n    "check": "tsc"\n  },\n  "dependencies": {\n    "next": "^16.4.6",\n    "react": "^19.3.1",\n    "react-dom": "^19.3.1",\n    "toolwire": "^{{version}}"\n  },\n  "devDependencies": {\n    "@types/node": "^26.6.6",\n    "@types/react": "^19.3.0",\n    "typescript": "^5.9.3"\n  }\n}\n',
    "tsconfig.json":
      '{\n  "compilerOptions": {\n    "target": "es2023",\n    "lib": ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable"],\n    "module": "esnext",\n    "moduleResolution": "bundler",\n    "types": ["node"],\n    "jsx": "react-jsx",\n    "strict": true,\n    "exactOptionalPropertyTypes": true,\n    "noUncheckedIndexedAccess": true,\n    "allowImportingTsExtensions": true,\n    "esModuleInterop": true,\n    "resolveJsonModule": true,\n    "isolatedModules": true,\n    "allowJs": true,\n    "incremental": true,\n    "skipLibCheck": true,\n    "noEmit": true,\n    "plugins": [{ "name": "next" }]\n  },\n  "include": ["**/*.ts", "**/*.tsx", ".next/types/**/*.ts", ".next/dev/types/**/*.ts"],\n  "exclude": ["node_modules"]\n}\n',
  },
  "node": {
    "main.ts":
      '/** Serves the tools over HTTP. */\nimport process from "node:process";\nimport { serve } from "toolwire/serve";\nimport { server } from "./server.ts";\n\nconst port = Number(process.env["PORT"] ?? 8000);\nawait serve(server, { port, banner: true, signals: ["SIGINT", "SIGTERM"] });\n',
    "package.json":
      '{\n  "name": "{{name}}",\n  "version": "0.1.0",\n  "private": true,\n  "type": "module",\n  "engines": { "node": ">=22.18" },\n  "scripts": {\n    "dev": "node --watch main.ts",\n    "start": "node main.ts",\n    "test": "node --test \\"**/*_test.ts\\"",\n    "check": "tsc"\n  },\n  "dependencies": { "toolwire": "^{{version}}" },\n  "devDependencies": {\n    "@types/node": "^26.6.6",\n    "typescript": "^7.0.2"\n  }\n}\n',
    "tsconfig.json":
      '{\n  "compilerOptions": {\n    "target": "es2023",\n    "lib": ["ES2024", "ESNext.Disposable"],\n    "module": "nodenext",\n    "types": ["node"],\n    "strict": true,\n    "exactOptionalPropertyTypes": true,\n    "noUncheckedIndexedAccess": true,\n    "verbatimModuleSyntax": true,\n    "erasableSyntaxOnly": true,\n    "allowImportingTsExtensions": true,\n    "skipLibCheck": true,\n    "noEmit": true\n  },\n  "exclude": ["node_modules"]\n}\n',
  },
  "workers": {
    "_gitignore": "node_modules\n.wrangler\n.dev.vars\n.env\n.env.*\n*.mcpb\n*.bak\n",
    "package.json":
      '{\n  "name": "{{name}}",\n  "version": "0.1.0",\n  "private": true,\n  "type": "module",\n  "engines": { "node": ">=22.18" },\n  "scripts": {\n    "dev": "wrangler dev --port 8000",\n    "deploy": "wrangler deploy",\n    "test": "node --test \\"**/*_test.ts\\"",\n    "check": "tsc"\n  },\n  "dependencies": { "toolwire": "^{{version}}" },\n  "devDependencies": {\n    "@types/node": "^26.6.6",\n    "typescript": "^7.0.2",\n    "wrangler": "^4.164.0"\n  }\n}\n',
    "tsconfig.json":
      '{\n  "compilerOptions": {\n    "target": "es2023",\n    "lib": ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable"],\n    "module": "nodenext",\n    "types": ["node"],\n    "strict": true,\n    "exactOptionalPropertyTypes": true,\n    "noUncheckedIndexedAccess": true,\n    "verbatimModuleSyntax": true,\n    "erasableSyntaxOnly": true,\n    "allowImportingTsExtensions": true,\n    "skipLibCheck": true,\n    "noEmit": true\n  },\n  "exclude": ["node_modules"]\n}\n',
    "worker.ts":
      '/** The Worker. Handlers reach its bindings by `ctx.env`. */\nimport { server } from "./server.ts";\n\nexport default { fetch: server.fetch };\n',
    "wrangler.jsonc":
      '{\n  "$schema": "node_modules/wrangler/config-schema.json",\n  "name": "{{name}}",\n  "main": "worker.ts",\n  "compatibility_date": "2026-11-01"\n}\n',
  },
};
