/** The web site: pages, sign-in with a session in PostgreSQL, and the tools below /agents for who has signed in. */
import process from "node:process";
import connectPgSimple from "connect-pg-simple";
import express from "express";
import session from "express-session";
import { toNodeHandler } from "toolwire/serve";
import { close, migrate, pool, server } from "./shop.ts";

declare module "express-session" {
  interface SessionData {
    user?: string;
  }
}

await migrate();
const app = express();
app.use(express.json());
app.use(session({
  store: new (connectPgSimple(session))({ pool, createTableIfMissing: true }),
  secret: process.env["SESSION_SECRET"] ?? "secret of a developer",
  resave: false,
  saveUninitialized: false,
}));

// A real shop asks for a password here.
app.post("/login", (req, res) => {
  req.session.user = req.body.user;
  res.json({ user: req.session.user });
});
app.post("/logout", (req, res) => req.session.destroy(() => res.json({})));
app.use(
  "/agents",
  toNodeHandler(server, {
    principal: (req: express.Request) => req.session.user === undefined ? undefined : { id: req.session.user },
  }),
);
app.get("/", (_, res) => void res.send("The shop"));
app.use((_, res) => void res.status(404).send("No such page"));

const listening = app.listen(Number(process.env["PORT"] ?? 8000), "127.0.0.1", () => {
  const address = listening.address();
  console.log(`listening http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});
process.once("SIGTERM", () => {
  listening.close();
  void close();
});
