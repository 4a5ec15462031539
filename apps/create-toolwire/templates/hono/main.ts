/** A Hono app with the tools below its root: /mcp and /mcp-lite/v1. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import process from "node:process";
import { server } from "./server.ts";

// Due jobs and schedules begin when the function is read, without a request.
const handle = server.fetch;
const app = new Hono();
app.get("/", (context) => context.text("The tools are at /mcp and /mcp-lite/v1"));
for (const path of ["/mcp", "/mcp-lite/v1/*"]) app.all(path, (context) => handle(context.req.raw));

const port = Number(process.env["PORT"] ?? 8000);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => console.log(`Listening on http://127.0.0.1:${port}`));
