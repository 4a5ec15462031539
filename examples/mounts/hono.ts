/** Inside a Hono app. */
import { Hono } from "hono";
import { server } from "./server.ts";

const handle = server.fetch;
export const app = new Hono();
app.all("/v/*", (c) => handle(c.req.raw));
app.get("/", (c) => c.text("page"));
