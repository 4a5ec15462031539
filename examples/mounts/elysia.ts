/** Inside an Elysia app, with a signed cookie as the session. `parse: "none"` leaves the body to the server. */
import { Elysia, t } from "elysia";
import { createTools } from "./server.ts";

const signed = t.Cookie({ user: t.Optional(t.String()) }, { secrets: "not a secret in an example", sign: ["user"] });
export const { server, work } = createTools("/v");
const handle = server.fetch;
export const app = new Elysia()
  .post("/login", ({ body, cookie }) => {
    cookie["user"]!.value = body.user;
    return {};
  }, { body: t.Object({ user: t.String() }), cookie: signed })
  .get("/v/page", () => "page")
  .all("/v/*", ({ request, cookie }) => {
    const user = cookie["user"]!.value;
    return handle(request, { principal: typeof user === "string" ? { id: user } : undefined });
  }, { parse: "none", cookie: signed });

export const fetch = async (request: Request): Promise<Response> => await app.handle(request);
export const close = (): Promise<void> => server.close();
