/** A server of another team, made with FastMCP. */
import process from "node:process";
import { FastMCP } from "fastmcp";
import { z } from "zod";

const mcp = new FastMCP({ name: "weather", version: "1.0.0" });
mcp.addTool({
  name: "forecast",
  description: "The forecast of a city",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => Promise.resolve(`Sun over ${city}`),
});
mcp.addTool({
  name: "whose",
  description: "Whose credentials arrived",
  parameters: z.object({}),
  execute: (_, { client }) => Promise.resolve(JSON.stringify(client ?? {})),
});
await mcp.start({ transportType: "httpStream", httpStream: { port: Number(process.env["PORT"]), host: "127.0.0.1" } });
console.log("ready");
