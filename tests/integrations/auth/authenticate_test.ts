/** `authenticate()`: identification of callers, above all when it fails: requests are then rejected. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  createServer,
  defineCallerState,
  defineTool,
  Failure,
  mcpLite,
  type Principal,
  ToolError,
} from "../../../mod.ts";
import { authenticate, type AuthRequest, bearer } from "../../../src/entries/auth.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { definePrompt, defineResource } from "../../../src/entries/mcp.ts";
import { CatalogBench, from } from "../../core/content/harness.ts";
import * as v from "../../../src/entries/schema.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { inProcess } from "../../hostile/senders.ts";
import { STATELESS } from "../../wires/descriptions/all.ts";
import { RawObject } from "../../wires/descriptions/raw_messages.ts";
import { call, createGuarded, post } from "./fixture.ts";
import type { MaybePromise } from "../../../src/entries/wire.ts";

interface Errors {
  readonly error: { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> };
}

async function errorOf(response: Response): Promise<Errors["error"] & { readonly status: number }> {
  return { status: response.status, ...(await response.json() as Errors).error };
}

/** Faults of an `auth` function, including some that the types forbid. */
const never = (value: unknown) => () => value as MaybePromise<Principal | undefined>;
const thrower = (thrown: unknown) => () => {
  throw thrown;
};

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

const BROKEN: Readonly<Record<string, () => MaybePromise<Principal | undefined>>> = {
  "gives true": never(true),
  "gives a text": never("ada"),
  "gives a list": never([{ id: "ada" }]),
  "gives a function": never(() => ({ id: "ada" })),
  "gives no id": never({ scopes: [] }),
  "gives an empty id": never({ id: "" }),
  "gives a number as id": never({ id: 7 }),
  "gives scopes in one text": never({ id: "ada", scopes: "docs:read docs:write" }),
  "gives scopes that are no texts": never({ id: "ada", scopes: ["docs:read", 7] }),
  "gives null as scopes": never({ id: "ada", scopes: null }),
  "throws an error": thrower(new Error("the database says: secret")),
  "throws a text": thrower("secret"),
  "throws null": thrower(null),
  "throws undefined": thrower(undefined),
  "throws a failure": thrower(new Failure("locked", "secret")),
  "throws internal": thrower(new ToolError("internal", "secret")),
  "throws details that are no JSON": thrower(new ToolError("unauthenticated", "No", { details: cyclic })),
  "throws details that are too big a number": thrower(new ToolError("unauthenticated", "No", { details: 1n })),
  "throws a proxy whose traps throw": thrower(
    new Proxy({}, { get: thrower(new Error("trap")), getPrototypeOf: thrower(new Error("trap")) }),
  ),
  "gives what cannot be awaited": never({ then: 7 }),
  "gives what throws when it is awaited": never(Object.defineProperty({}, "then", { get: thrower(new Error("then")) })),
};

for (const [name, identify] of Object.entries(BROKEN)) {
  for (const [kind, hook] of [["at once", identify], ["later", async () => await identify()]] as const) {
    test(`authenticate() that ${name}, ${kind}, lets nobody through and says nothing`, async () => {
      const { server, runs, log } = createGuarded(authenticate(hook));
      const error = await errorOf(await call(server, "ping"));
      strictEqual(error.status, 500);
      match(error.message, /^Internal error, correlation id [0-9a-f-]{36}$/);
      strictEqual(log.lines.length, 1);
      deepStrictEqual([log.lines[0]?.level, log.lines[0]?.message], ["error", "Server broke"]);
      strictEqual(log.lines[0]?.fields["during"], "auth");
      deepStrictEqual(runs, []);
    });
  }
}

for (
  const place of inProcess(() => createServer({ tools: [], wires: STATELESS, auth: authenticate(() => undefined) }))
) {
  test(`${place.where}: authenticate() that gives no principal refuses the caller`, async () => {
    await using sending = await place.open();
    const end = sending.dialect.read(await sending.send(sending.dialect.call("ping", new RawObject([]))));
    strictEqual(end.kind === "error" && end.code, "unauthenticated", JSON.stringify(end));
  });
}

test("authenticate() that gives no principal refuses whatever key is sent, unless anonymous callers are allowed", async () => {
  const find = ({ metadata }: AuthRequest) => metadata.get("x-api-key") === "a good key" ? { id: "ada" } : undefined;
  for (const identify of [find, async (request: AuthRequest) => await find(request)]) {
    const { server, runs, log } = createGuarded(authenticate(identify));
    for (const headers of [{}, { "x-api-key": "wrong" }]) {
      const response = await call(server, "ping", headers);
      match(response.headers.get("www-authenticate") ?? "", /^Bearer resource_metadata="/);
      const error = await errorOf(response);
      deepStrictEqual([error.status, error.data["code"]], [401, "unauthenticated"]);
      match(error.message, /^The caller is unknown: send credentials/);
    }
    deepStrictEqual([runs, log.lines], [[], []]);
    strictEqual((await call(server, "ping", { "x-api-key": "a good key" })).status, 200);
    const open = createGuarded(authenticate(identify, { allowAnonymous: true }));
    strictEqual((await call(open.server, "ping")).status, 200);
    strictEqual((await call(open.server, "write")).status, 401);
    deepStrictEqual([runs, open.runs], [["ada"], [undefined]]);
  }
  throws(() => authenticate(find, { allowAnonymous: 1 as never }), { message: /allowAnonymous/ });
});

test("authenticate() passes on what a ToolError says, with its status", async () => {
  for (
    const [code, status] of [["unauthenticated", 401], ["permission_denied", 403], ["rate_limited", 429], [
      "unavailable",
      503,
    ]] as const
  ) {
    const { server, runs, log } = createGuarded(authenticate(() => {
      throw new ToolError(code, "Not now", { details: { retry_after_ms: 1_500 } });
    }));
    const response = await call(server, "ping");
    strictEqual(response.headers.get("retry-after"), status === 429 || status === 503 ? "2" : null);
    const error = await errorOf(response);
    deepStrictEqual([error.status, error.message, error.data["code"]], [status, "Not now", code]);
    deepStrictEqual([runs, log.lines], [[], []]);
  }
});

test("authenticate() logs what a ToolError comes from, and that it is a refusal, not a broken call", async () => {
  const cause = new Error("connection refused");
  const { server, log } = createGuarded(authenticate(() => {
    throw new ToolError("unavailable", "Not now", { cause });
  }));
  strictEqual((await call(server, "ping")).status, 503);
  const [line] = log.lines;
  deepStrictEqual([line?.level, line?.message, line?.fields["code"]], ["warn", "Caller rejected", "unavailable"]);
  strictEqual((line?.fields["error"] as ToolError).cause, cause);
});

test("authenticate() is asked once for each request, with what every wire has", async () => {
  const asked: AuthRequest[] = [];
  const { server, runs } = createGuarded(authenticate((request) => {
    asked.push(request);
    return { id: `${request.metadata.get("x-caller")}` };
  }));
  await call(server, "ping", { "x-caller": "ada" });
  const connected = await post(server, "/mcplite.MCPLite/CallTool", '{"name":"ping"}', { "x-caller": "bob" });
  strictEqual(connected.status, 200);
  deepStrictEqual(asked.map(({ method, path }) => [method, path]), [
    ["POST", "/mcp-lite/v1/calltools"],
    ["POST", "/mcplite.MCPLite/CallTool"],
  ]);
  deepStrictEqual(runs, ["ada", "bob"]);
});

test("authenticate() is not asked for what comes from elsewhere, for preflights, and for what is anybody's", async () => {
  let asked = 0;
  const { server } = createGuarded(authenticate(() => void asked++));
  const guarded = server.withOriginPolicy({ hosts: ["api.example"], origins: ["https://app.example"], cors: true });
  strictEqual((await call(guarded, "ping", { origin: "https://evil.example" })).status, 403);
  const url = "https://api.example/mcp-lite/v1/calltools";
  const preflight = new Request(url, { method: "OPTIONS", headers: { origin: "https://app.example" } });
  strictEqual((await guarded.fetch(preflight)).status, 204);
  const metadata = "https://api.example/.well-known/oauth-protected-resource";
  strictEqual(
    (await guarded.fetch(new Request(metadata, { headers: { origin: "https://evil.example" } }))).status,
    200,
  );
  strictEqual((await guarded.fetch(new Request(metadata.replace("api.", "evil.")))).status, 403);
  strictEqual(asked, 0);
});

test("authenticate() that takes too long refuses", async () => {
  const clock = new FakeClock();
  const server = createServer({
    tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
    clock,
    auth: authenticate(() => new Promise(() => {}), { timeoutMs: 3_000 }),
  });
  const response = call(server, "ping");
  clock.tick(3_000);
  const error = await errorOf(await response);
  deepStrictEqual([error.status, error.data["code"]], [504, "deadline_exceeded"]);
});

test("authenticate() that is slow answers in time, each its own", async () => {
  const { server, runs } = createGuarded(authenticate(async ({ metadata }) => {
    const id = metadata.get("x-caller") ?? "";
    await new Promise((resolve) => setTimeout(resolve, id.length));
    return { id };
  }));
  const ids = Array.from({ length: 40 }, (_, at) => "x".repeat(1 + (at * 7) % 40));
  const responses = await Promise.all(ids.map((id) => call(server, "ping", { "x-caller": id })));
  ok(responses.every(({ status }) => status === 200));
  deepStrictEqual([...runs].sort(), [...ids].sort());
});

test("bearer() rejects an unknown token whatever thenable says so", async () => {
  // The query builders of databases are thenables, and not instances of Promise.
  const query = (found: Principal | undefined) => ({
    then: (resolve: (value: Principal | undefined) => void) => resolve(found),
  });
  const verify = (token: string) => query(token === "known" ? { id: "ada" } : undefined) as MaybePromise<Principal>;
  const tool = defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id ?? "anonymous");
  const server = createServer({ tools: [tool], wires: [mcpLite()], auth: bearer(verify), logger: false });
  const ask = (token: string) =>
    server.fetch(
      new Request("http://localhost/mcp-lite/v1/calltools", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}',
      }),
    );
  match(await (await ask("known")).text(), /ada/);
  const refused = await errorOf(await ask("unknown"));
  deepStrictEqual([refused.status, refused.message], [401, "The token is unknown"]);
});

test("authenticate() and bearer() take functions only", () => {
  throws(() => authenticate({} as never), /^TypeError: Cannot authenticate callers: pass a function/);
  throws(() => bearer("secret" as never), /^TypeError: Cannot verify tokens: pass a function/);
});

test("a challenge is one header, whatever characters its values have", async () => {
  for (
    const [message, details, want] of [
      [
        'Say "please"\r\nset-cookie: a=b\\ é',
        { error: 'x"\r\ny' },
        `Bearer error="x'??y", error_description="Say 'please'??set-cookie: a=b? ?"`,
      ],
      [
        "x".repeat(5_000),
        { error: "invalid_token" },
        `Bearer error="invalid_token", error_description="${"x".repeat(256)}"`,
      ],
      ["No", { required_scopes: ["a", 7, 'b"c', null] }, `Bearer scope="a b'c"`],
      ["No", { error: 7, required_scopes: "all" }, "Bearer"],
      ["No", "text", "Bearer"],
    ] as const
  ) {
    const server = createServer({
      tools: [],
      wires: [mcpLite(), grpc()],
      auth: authenticate(() => {
        throw new ToolError("unauthenticated", message, { details });
      }),
    });
    for (const path of ["/mcp-lite/v1/tools", "/mcplite.MCPLite/GetTools"]) {
      const response = await post(server, path, "{}");
      strictEqual(response.status, 401);
      strictEqual(response.headers.get("www-authenticate"), want);
    }
  }
});

test(".scopes() wants scopes, and lists say nothing of them", () => {
  const named = defineTool("t").describe("T");
  for (const scopes of [[], [""], ["docs:read docs:write"], ["a", "b\n"]]) {
    throws(() => named.scopes(...scopes), /^TypeError: Cannot set the scopes of tool "t": name each/);
    throws(() => definePrompt("p").scopes(...scopes), /^TypeError: Cannot set the scopes of prompt "p"/);
    throws(() => defineResource("x://y").scopes(...scopes), /^TypeError: Cannot set the scopes of resource "x:\/\/y"/);
  }
  const { tools } = createServer({ tools: [named.scopes("a").scopes("b", "c").handle(() => 1)] });
  deepStrictEqual(tools, [{ name: "t", description: "T", inputSchema: { type: "object" } }]);
});

test("prompts and resources have scopes, their completions and the lists of templates as well", async () => {
  const ids = ["1", "2"];
  const { catalog } = new CatalogBench({
    prompts: [
      definePrompt("secret").describe("Secret").scopes("docs:read").handle(() => "hush"),
      definePrompt("open").describe("Open").handle(() => "hello"),
    ],
    resources: [
      defineResource("docs://{id}").scopes("docs:read").complete({ id: () => ids })
        .list(() => ids.map((id) => ({ variables: { id } }))).read(({ id }) => `text ${id}`),
      defineResource("docs://plan").scopes("docs:read").read(() => "plan"),
      defineResource("open://{id}").list(() => [{ variables: { id: "1" } }]).read(() => "open"),
    ],
  });
  const ada = from(undefined, { principal: { id: "ada", scopes: ["docs:read"] } });
  const eve = from(undefined, { principal: { id: "eve" } });
  const codeOf = (settled: { readonly kind: string; readonly code?: string }) => settled.code ?? settled.kind;
  for (const [who, want] of [[ada, "answer"], [eve, "permission_denied"], [from(), "unauthenticated"]] as const) {
    strictEqual(codeOf(await catalog.getPrompt("secret", {}, who)), want);
    strictEqual(codeOf(await catalog.getPrompt("open", {}, who)), "answer");
    strictEqual(codeOf(await catalog.readResource("docs://1", who)), want);
    strictEqual(codeOf(await catalog.readResource("docs://plan", who)), want);
    const completion = { ...who, of: { resource: "docs://{id}" }, argument: "id", value: "" };
    strictEqual(codeOf(await catalog.complete(completion)), want);
    const listed = await catalog.listResources(who);
    const uris = listed.kind === "answer" ? listed.value.map(({ uri }) => uri) : [];
    const own = want === "answer" ? ["docs://1", "docs://2"] : [];
    deepStrictEqual(uris, [...own, "docs://plan", "open://1"]);
  }
});

test("continuations and contexts are good for whom they were given to", async () => {
  const visits = defineCallerState("visits", v.number());
  const visit = defineTool("visit").describe("Count visits").handle((_, { callerState: context }) => {
    const count = (context.get(visits) ?? 0) + 1;
    context.set(visits, count);
    return count;
  });
  const confirm = defineTool("confirm").describe("Ask").handle(async (_, ctx) => {
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
    return `${ctx.principal?.id}: ${action}`;
  });
  const server = createServer({
    tools: [visit, confirm],
    keys: "k1:a secret that is known to this test alone",
    auth: bearer((id) => ({ id })),
  });
  const ask = async (id: string, name: string, meta: object = {}) => {
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {}, _meta: meta } };
    const headers = { authorization: `Bearer ${id}` };
    const response = await post(server, "/mcp-lite/v1/calltools", JSON.stringify(request), headers);
    return await response.json() as {
      readonly result?: { readonly content?: unknown; readonly _meta: Readonly<Record<string, unknown>> };
      readonly error?: { readonly data: { readonly code: string } };
    };
  };
  const { context } = (await ask("ada", "visit")).result?._meta ?? {};
  strictEqual((await ask("ada", "visit", { context })).result?.content, 2);
  strictEqual((await ask("bob", "visit", { context })).result?.content, 1);
  const { continuation } = (await ask("ada", "confirm")).result?._meta ?? {};
  const responses = { sure: { action: "decline" } };
  strictEqual((await ask("bob", "confirm", { continuation, responses })).error?.data.code, "invalid_continuation");
  strictEqual((await ask("ada", "confirm", { continuation, responses })).result?.content, "ada: decline");
});
