/** Inside a Hono app, with a signed cookie as the session. */
import { Hono } from "hono";
import { getSignedCookie, setSignedCookie } from "hono/cookie";
import { createTools } from "./server.ts";

const SECRET = "not a secret in an example";
export const { server, work } = createTools("/v");
const handle = server.fetch;
export const app = new Hono();
app.post("/login", async (c) => {
  await setSignedCookie(c, "user", (await c.req.json()).user, SECRET, { httpOnly: true });
  return c.json({});
});
app.get("/v/page", (c) => c.text("page"));
app.all("/v/*", async (c) => {
  const user = await getSignedCookie(c, SECRET, "user");
  return await handle(c.req.raw, { principal: user ? { id: user } : undefined, host: c.env });
});

export const fetch = async (request: Request): Promise<Response> => await app.fetch(request);
export const close = (): Promise<void> => server.close();
