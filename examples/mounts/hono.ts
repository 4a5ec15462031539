/** Inside a Hono app. */
import { Hono } from "hono";
import { server } from "./server.ts";

export const app = new Hono();
app.all("/v/*", (c) => server.fetch(c.req.raw));
app.get("/", (c) => c.text("page"));
