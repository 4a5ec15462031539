// The session that docs/stories.md shows: programs, and what is typed. The programs of the second scene are those of the page.
import { readFileSync } from "node:fs";

const GATEWAY = `import { createServer } from "toolwire";
import { gateway, group } from "toolwire/compose";
import { stdioTransport } from "toolwire/stdio";
const docs = await gateway("docs", stdioTransport("bunx", ["toolwire", "docs"]));
const demo = await gateway("demo", stdioTransport("bunx", ["@modelcontextprotocol/server-everything"]));
export default createServer({ tools: [], parts: [group("docs", docs), group("demo", demo)] });
`;

/** Scenes: a caption, files and commands. A command is over when it has returned, and has printed `until` if that is given. */
export function readScenes(page) {
  const fences = Array.from(readFileSync(page, "utf8").matchAll(/^```ts check\n([^]*?)^```$/gm), ([, code]) => code);
  const server = fences.find((code) => code.includes("sqliteEngine("));
  const client = fences.find((code) => code.includes("process.argv"));
  return [
    {
      caption: "Two MCP servers behind one URL: a gateway in six lines",
      files: { "gateway.ts": GATEWAY },
      commands: [
        { typed: "cat gateway.ts" },
        { typed: "bun gateway.ts 2> log &", until: "http://localhost:3000" },
        { typed: "bunx toolwire list localhost:3000/mcp | grep ^d | cut -d= -f1 | head -8" },
        { typed: "bunx toolwire call localhost:3000/mcp demo_get-sum a=2 b=40" },
      ],
    },
    {
      caption: "kill -9 while a server works: another process redeems the same token",
      files: { "server.ts": server, "client.ts": client },
      commands: [
        { typed: "sed -n 5,8p server.ts" },
        { typed: "bun server.ts & sleep 1" },
        { typed: "token=$(bun client.ts); echo ${token:0:60}…" },
        { typed: "kill -9 %1" },
        { typed: "bun server.ts & sleep 1" },
        { typed: 'bun client.ts "$token"' },
      ],
    },
  ];
}
