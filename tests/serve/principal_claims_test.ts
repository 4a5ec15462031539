/** Claims of a caller: any object of a program, also of an `interface`. Handlers get its JSON, on every wire and in deferred work. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  createServer,
  defineTool,
  mcpLiteTransport,
  memoryTransport,
  type Principal,
  ToolError,
} from "../../mod.ts";
import { authenticate, bearer, jwt } from "../../src/entries/auth.ts";
import { toNodeHandler } from "../../src/entries/serve.ts";
import { testClient } from "../../src/entries/testing.ts";
import type { IdentifiedHost } from "../../src/entries/wire.ts";
import { type Equal, expectType } from "../types/equal.ts";
import { KeptLog } from "../core/dispatch/harness.ts";

/** Has no index signature: it is not assignable to `Record<string, unknown>`. */
interface Member {
  tenant: string;
  role?: "admin" | "user";
  teams: readonly string[];
}
interface Row extends Member {
  joined: Date;
  manager: Row | null;
}
class Account {
  readonly tenant = "north";
  readonly #secret = "hidden";
  describe() {
    return this.#secret;
  }
}

const member: Member = { tenant: "north", teams: ["a"] };
const row: Row = { ...member, joined: new Date(0), manager: null };

const claims = defineTool("claims").describe("Give the claims").handle((_, ctx) => ctx.principal?.claims ?? null);
const deferred = defineTool("deferred").describe("Give the claims later").promise({ budgetMs: 1 })
  .handle(async (_, ctx) => {
    await ctx.sleep("a while", 2);
    return ctx.principal?.claims ?? null;
  });
const tools = [claims, deferred] as const;

const GIVEN: Readonly<Record<string, readonly [given: object, received: unknown]>> = {
  "an interface": [member, { tenant: "north", teams: ["a"] }],
  "dates": [row, { tenant: "north", teams: ["a"], joined: "1970-01-01T00:00:00.000Z", manager: null }],
  "a class": [new Account(), { tenant: "north" }],
  "what has toJSON": [{ tenant: "north", toJSON: () => ({ tenant: "south" }) }, { tenant: "south" }],
  "members that are undefined": [{ tenant: "north", role: undefined }, undefined],
  "deep objects": [JSON.parse(`{"a":${"[".repeat(40)}${"]".repeat(40)}}`), undefined],
};

for (const [name, [given, expected]] of Object.entries(GIVEN)) {
  test(`claims that are ${name} are their JSON for handlers`, async () => {
    const received = expected ?? given;
    const principal: Principal<object> = { id: "ada", scopes: ["read"], claims: given };
    const seen: unknown[] = [];
    const kept = defineTool("claims").describe("Keep the claims").handle((_, ctx) => {
      seen.push(ctx.principal?.claims);
      return ctx.principal?.scopes;
    });
    const servers = [
      createServer({ tools: [kept], auth: authenticate(() => principal) }),
      createServer({ tools: [kept], auth: authenticate(() => principal, { requiredScopes: ["read"] }) }),
      createServer({ tools: [kept], auth: bearer(async () => await principal) }),
    ];
    for (const server of servers) {
      const client = createClient<typeof server>(mcpLiteTransport("http://localhost/mcp-lite/v1", {
        fetch: (url, init) => server.fetch(new Request(url, init)),
        headers: { authorization: "Bearer a" },
      }));
      deepStrictEqual(await client.claims(), ["read"]);
    }
    const server = createServer({ tools: [kept] });
    const host: IdentifiedHost = { principal };
    const client = createClient<typeof server>(mcpLiteTransport("http://localhost/mcp-lite/v1", {
      fetch: (url, init) => server.fetch(new Request(url, init), host),
    }));
    deepStrictEqual(await client.claims(), ["read"]);
    deepStrictEqual(await createClient<typeof server>(memoryTransport(server, { principal })).claims(), ["read"]);
    strictEqual(seen.length, 5);
    for (const one of seen) deepStrictEqual(one, received);
  });
}

test("deferred work gets the same claims", async () => {
  const client = testClient(createServer({ tools }), { principal: { id: "ada", claims: row } });
  deepStrictEqual(await client.deferred({}), await client.claims({}));
});

test("claims without JSON are an error of the program, which the log states", async () => {
  const cyclic: Record<string, unknown> = { id: "c" };
  cyclic["self"] = cyclic;
  for (const wrong of [cyclic, { big: 1n }, ["a"], new Date(0), "text", null]) {
    const log = new KeptLog();
    const server = createServer({
      tools,
      auth: authenticate(() => ({ id: "ada", claims: wrong as object })),
      logger: log,
    });
    const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/tools", { method: "POST" }));
    strictEqual(response.status, 500);
    match(
      String(log.lines[0]?.fields["error"]),
      /the claims of the principal (cannot be written as JSON|are not an object)/,
    );
    throws(
      () => memoryTransport(server, { principal: { id: "ada", claims: wrong as object } }),
      /the claims of the principal/,
    );
  }
});

test("programs give claims of their own types, and handlers get JSON", () => {
  const typed: Principal<Member> = { id: "ada", claims: member };
  const found = (): Principal<Member> | undefined => typed;
  authenticate(() => ({ id: "ada", claims: member }));
  authenticate(async () => await Promise.resolve(typed));
  bearer((token) => token === "a" ? { id: "ada", claims: row } : undefined);
  jwt({ secret: "a".repeat(32), principal: ({ sub }) => ({ id: String(sub), claims: member }) });
  const server = createServer({ tools });
  toNodeHandler(server, { principal: found });
  testClient(server, { principal: typed });
  // @ts-expect-error: a text is not an object
  throws(() => testClient(server, { principal: { id: "ada", claims: "text" } }), TypeError);
  const tool = defineTool("t").describe("T").handle((_, ctx) => {
    expectType<Equal<typeof ctx.principal, Principal | undefined>>(true);
    const tenant = ctx.principal?.claims?.["tenant"];
    if (typeof tenant !== "string") throw new ToolError("permission_denied", "No tenant");
    return tenant;
  });
  strictEqual(tool.name, "t");
});
