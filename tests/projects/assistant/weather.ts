/** A server of another team, made with FastMCP. */
import process from "node:process";
import { FastMCP } from "fastmcp";
import { z } from "zod";

const mcp = new FastMCP<{ user: string }>({
  name: "weather",
  version: "1.0.0",
  authenticate: (request) => {
    const user = /^Bearer of (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (user === undefined) throw new Response(null, { status: 401 });
    return Promise.resolve({ user });
  },
});
mcp.addTool({
  name: "forecast",
  description: "The forecast of a city",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => Promise.resolve(`Sun over ${city}`),
});
mcp.addTool({
  name: "whose",
  description: "Whose forecast it is",
  parameters: z.object({}),
  execute: (_, { session }) => Promise.resolve(`of ${session?.user}`),
});
await mcp.start({ transportType: "httpStream", httpStream: { port: Number(process.env["PORT"]), host: "127.0.0.1" } });
console.log("ready");
