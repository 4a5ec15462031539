/** `defineTool.for<…>()`: the types of `ctx.env` and `ctx.principal` in handlers, and the types that `auth` gives. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, type Ctx, defineTool, type Middleware, type Principal } from "../../mod.ts";
import * as core from "../../src/entries/core.ts";
import { authenticate, bearer, type CallerOf, jwt } from "../../src/entries/auth.ts";
import * as v from "../../src/entries/schema.ts";
import { testClient } from "../../src/entries/testing.ts";
import { type Equal, expectType } from "./equal.ts";

interface Env {
  readonly REGION: string;
}
type User = Principal<{ readonly role: "admin" | "guest" }>;
/** A handler gets the JSON of claims. */
interface Session {
  readonly since: Date;
}
interface Host {
  readonly env: Env;
  readonly principal: User;
}
const tool = defineTool.for<Host>();
const withRow: Middleware<{ row: number }> = (ctx, next) => {
  ctx.state.row = 1;
  return next();
};
/** What takes any context takes a typed one. */
const idOf = (ctx: Ctx) => ctx.principal?.id;

test("handlers know the environment and the caller, after every step", async () => {
  const where = tool("where").describe("Where").handle((_, ctx) => {
    expectType<Equal<typeof ctx.env, Env>>(true);
    expectType<Equal<typeof ctx.principal, User>>(true);
    return [ctx.env.REGION, ctx.principal.claims?.role, idOf(ctx)];
  });
  const row = tool("row").describe("Row").input(v.object({ a: v.number() })).output(v.number()).use(withRow)
    .errors({ no: null }).handle(({ a }, ctx) => {
      expectType<Equal<typeof ctx.env, Env>>(true);
      expectType<Equal<typeof ctx.state.row, number>>(true);
      if (ctx.principal.claims?.role === "guest") throw ctx.fail("no", "No");
      return a + ctx.state.row;
    });
  const work = tool("work").describe("Work").external({
    start: (_, ctx) => ctx.env.REGION,
    check: (region, ctx) => {
      expectType<Equal<typeof ctx.principal, User>>(true);
      return region;
    },
  });
  const server = createServer({ tools: [where, row, work], logger: false });
  const principal: User = { id: "ada", claims: { role: "admin" } };
  const request = () =>
    new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"where"}}',
    });
  const answer = await (await server.fetch(request(), { principal, host: { REGION: "west" } })).json();
  deepStrictEqual(answer.result.content, ["west", "admin", "ada"]);
  strictEqual(await testClient(server, { principal }).row({ a: 1 }), 2);
});

test("without types, the caller may be anonymous and the environment is unknown", () => {
  defineTool("t").describe("T").use(withRow).handle((_, ctx) => {
    expectType<Equal<typeof ctx.env, unknown>>(true);
    expectType<Equal<typeof ctx.principal, Principal | undefined>>(true);
    // @ts-expect-error: there may be no caller
    return ctx.principal.id;
  });
  defineTool.for<{ env: Env }>()("t").describe("T").handle((_, ctx) => {
    expectType<Equal<typeof ctx.principal, Principal | undefined>>(true);
    return ctx.env.REGION;
  });
  defineTool.for<{ principal: User | undefined }>()("t").describe("T").handle((_, ctx) => {
    expectType<Equal<typeof ctx.env, unknown>>(true);
    return ctx.principal?.claims?.role;
  });
  // @ts-expect-error: not a principal
  defineTool.for<{ principal: string }>();
});

test("the other definers have it, too, and it starts the same definitions", () => {
  strictEqual(defineTool.for<Host>(), defineTool);
  const own = core.toolDefiner();
  strictEqual(own.for<Host>(), own);
  core.defineTool.for<Host>()("t").describe("T").handle((_, ctx) => ctx.env.REGION);
});

test("the caller's type follows from what identifies it", () => {
  const CALLERS = new Map([["a", { id: "ada", claims: { role: "admin", teams: ["a"] } }]]);
  const byKey = authenticate(({ metadata }) => CALLERS.get(metadata.get("x-api-key") ?? ""));
  expectType<Equal<CallerOf<typeof byKey>["claims"], { role: string; teams: string[] } | undefined>>(true);
  const byToken = bearer(async (token) =>
    (await Promise.resolve(token)) === "a" ? { id: "a", claims: { age: 1 } } : null
  );
  expectType<Equal<CallerOf<typeof byToken>["claims"], { age: number } | undefined>>(true);
  const secret = "0123456789abcdef0123456789abcdef";
  const written = jwt<{ role: "admin" | "guest" }>({ secret });
  expectType<Equal<CallerOf<typeof written>["claims"], { role: "admin" | "guest" } | undefined>>(true);
  const mapped = jwt({ secret, principal: ({ sub }) => ({ id: String(sub), claims: { team: String(sub) } }) });
  expectType<Equal<CallerOf<typeof mapped>["claims"], { team: string } | undefined>>(true);
  const bySession = async (request: { readonly user?: { readonly id: string } }) =>
    request.user && { id: await Promise.resolve(request.user.id), claims: { role: "guest" } };
  expectType<Equal<CallerOf<typeof bySession>["claims"], { role: string } | undefined>>(true);
  const dated = authenticate((): Principal<Session> => ({ id: "ada", claims: { since: new Date(0) } }));
  expectType<Equal<CallerOf<typeof dated>["claims"], { readonly since: string } | undefined>>(true);
  const plain = authenticate(() => ({ id: "ada" }));
  expectType<Equal<CallerOf<typeof plain>, Principal>>(true);

  const admins = defineTool.for<{ principal: CallerOf<typeof byKey> }>();
  const teams = admins("teams").describe("Teams").handle((_, ctx) => ctx.principal.claims?.teams);
  createServer({ tools: [teams], auth: byKey, logger: false });
});
