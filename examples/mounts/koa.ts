/** Inside a Koa app. What Koa's middleware has read, the body and the session, is passed on with Node's request. */
import { toNodeHandler } from "jsr:@toolwire/toolwire/serve";
import { bodyParser } from "@koa/bodyparser";
import Koa from "koa";
import session from "koa-session";
import { createTools } from "./server.ts";

export const { server, work } = createTools("/v");
const handle = toNodeHandler(server, {
  principal: (req: { user?: string | undefined }) => req.user === undefined ? undefined : { id: req.user },
});
const app = new Koa();
app.keys = ["not a secret in an example"];
app.use(session(app));
app.use(bodyParser());
app.use(async (ctx, next) => {
  if (ctx.path !== "/login") return await next();
  ctx.session!["user"] = (ctx.request.body as { user: string }).user;
  ctx.body = {};
});
app.use(async (ctx, next) => {
  if (!ctx.path.startsWith("/v/") || ctx.path === "/v/page") return await next();
  ctx.respond = false;
  handle(Object.assign(ctx.req, { body: ctx.request.body, user: ctx.session?.["user"] }), ctx.res);
});
app.use((ctx) => void (ctx.body = "page"));

export const http = app.listen(0, "127.0.0.1");
http.on("upgrade", handle.upgrade);
export async function close(): Promise<void> {
  http.close();
  await server.close();
}
