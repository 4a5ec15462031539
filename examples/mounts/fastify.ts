/** Inside a Fastify app. What Fastify has read, the body and the session, is passed on with Node's request. */
import { toNodeHandler } from "jsr:@toolwire/toolwire/serve";
import cookie from "@fastify/cookie";
import session from "@fastify/session";
import fastify from "fastify";
import { createTools } from "./server.ts";

declare module "fastify" {
  interface Session {
    user?: string;
  }
}

export const { server, work } = createTools("/v");
const handle = toNodeHandler(server, {
  principal: (req: { user?: string | undefined }) => req.user === undefined ? undefined : { id: req.user },
});
const app = fastify();
await app.register(cookie);
await app.register(session, { secret: "not a secret in an example, of 32 characters", cookie: { secure: false } });
app.post<{ Body: { user: string } }>("/login", (request) => {
  request.session.user = request.body.user;
  return {};
});
app.all("/v/*", (request, reply) => {
  reply.hijack();
  handle(Object.assign(request.raw, { body: request.body, user: request.session.user }), reply.raw);
});
app.get("/v/page", () => "page");
app.addHook("preClose", () => server.close());

app.server.on("upgrade", handle.upgrade);
await app.listen({ port: 0, host: "127.0.0.1" });
export const http = app.server;
export const close = (): Promise<void> => app.close();
