/** Inside an Express app, behind a body parser and a session. `toNodeHandler` answers below the mount, and passes on other requests. */
import { toNodeHandler } from "jsr:@toolwire/toolwire/serve";
import express from "express";
import session from "express-session";
import { createTools } from "./server.ts";

declare module "express-session" {
  interface SessionData {
    user?: string;
  }
}

export const { server, work } = createTools("/v");
const app = express();
app.use(express.json(), express.urlencoded());
const sessions = session({ secret: "not a secret in an example", resave: false, saveUninitialized: false });
app.use(sessions);
app.post("/login", (req, res) => {
  req.session.user = req.body.user;
  res.json({});
});
const handler = toNodeHandler(server, {
  principal: (req: express.Request) => req.session.user === undefined ? undefined : { id: req.session.user },
});
app.use("/v", handler);
app.get("/v/page", (_, res) => void res.send("page"));

export const http = app.listen(0, "127.0.0.1");
http.on(
  "upgrade",
  (req, socket, head) =>
    sessions(req as express.Request, {} as express.Response, () => handler.upgrade(req, socket, head)),
);
export async function close(): Promise<void> {
  http.close();
  await server.close(); // which ends the calls and streams that keep connections open
}
