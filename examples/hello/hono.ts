/** Inside a Hono app: `bun hono.ts [port]`. */
import { Hono } from "hono";
import { server } from "./server.ts";

const handle = server.fetch;
const app = new Hono();
app.get("/", (c) => c.text("The tools are at /mcp-lite/v1"));
app.all("/mcp-lite/v1/*", (c) => handle(c.req.raw));

const { url } = Bun.serve({ hostname: "127.0.0.1", port: Number(Bun.argv[2] ?? 8000), fetch: app.fetch });

console.log(`Listening on ${url}`);
