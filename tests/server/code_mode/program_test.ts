/** Programs call tools as their callers do. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { codeMode, quickjs } from "../../../src/entries/code.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { inline, threads } from "./executors.ts";
import { QUIET, run, serverOf } from "./fixture.ts";

const add = defineTool("add").describe("Add two numbers")
  .input(jsonSchema<{ a: number; b: number }>({
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  }))
  .handle(({ a, b }) => a + b);

for (const [name, executor] of [["inline", inline], ["in a thread", threads]] as const) {
  test(`a program calls tools and returns a value, ${name}`, async () => {
    const server = serverOf([add], { executor });
    const source = `
      const first = await tools.add({ a: 1, b: 2 });
      const [x, y] = await Promise.all([tools.add({ a: first, b: 10 }), tools.add({ a: first, b: 20 })]);
      console.log("sums", { x, y });
      return { x, y, now: typeof Date.now(), random: Math.random() < 1 };
    `;
    const answer = await run(server, source);
    deepStrictEqual(answer.value, { x: 13, y: 23, now: "number", random: true });
    strictEqual(answer.log, 'sums {"x":13,"y":23}');
    deepStrictEqual(answer.calls.map(({ tool, n }) => ({ tool, n })), [{ tool: "add", n: 3 }]);
    await server.close();
  });
}

test("the list has the search, the declarations, the programs and what is pinned", async () => {
  const server = serverOf([add, defineTool("help").describe("Help").handle(() => "help")], { pinned: ["help"] });
  const names = (await testClient(server).$.list()).map(({ name }) => name);
  deepStrictEqual(names.sort(), ["cancel", "describe_tools", "help", "redeem", "run_code", "search_tools"]);
  strictEqual(await testClient(server).$.call("add", { a: 1, b: 2 }), 3);
  await server.close();
});

test("a failing call throws in the program, with its code, its data and its issues", async () => {
  const locked = defineTool("lock").describe("Lock").errors({ locked: jsonSchema<{ by: string }>({ type: "object" }) })
    .handle((_, ctx): string => {
      throw ctx.fail("locked", "It is locked", { by: "ada" });
    });
  const broken = defineTool("broken").describe("Break").handle((): string => {
    throw new RangeError("a secret");
  });
  const server = serverOf([add, locked, broken]);
  const { value } = await run(
    server,
    `
    const seen = [];
    for (const call of [() => tools.lock(), () => tools.add({ a: 1, c: 2 }), () => tools.broken(), () => tools.none()]) {
      try { seen.push(await call()); } catch (error) { seen.push([error.name, error.code, error.message, error.data?.by, error.issues?.length > 0, error instanceof Error]); }
    }
    return seen;
    `,
  );
  const [one, two, three, four] = value as unknown[][];
  deepStrictEqual(one, ["ToolError", "locked", "It is locked", "ada", false, true]);
  deepStrictEqual([two?.[1], two?.[4]], ["invalid_input", true]);
  strictEqual(three?.[1], "internal");
  ok(!String(three?.[2]).includes("a secret"));
  strictEqual(four?.[1], "tool_not_found");
  await server.close();
});

test("an error of a call that the program does not catch names the tool and the line", async () => {
  const server = serverOf([add]);
  const source = "const sum = await tools.add({ a: 1, b: 2 });\nawait tools.add({ a: 'one', b: 2 });\nreturn sum;";
  await rejects(run(server, source), (error: { code: string; message: string; data: Record<string, unknown> }) => {
    strictEqual(error.code, "program");
    const { kind, line, excerpt, calls, hint } = error.data;
    deepStrictEqual([kind, line, calls], ["type", 2, ["add", "add"]]);
    ok(String(excerpt).includes("> 2 | await tools.add({ a: 'one', b: 2 });"), String(excerpt));
    ok(String(hint).includes("tools.add: (input: { a: number, b: number }) => Promise<unknown>"), String(hint));
    return true;
  });
  await server.close();
});

test("a call that is not awaited is an error that names it", async () => {
  const server = serverOf([add]);
  await rejects(run(server, "tools.add({ a: 1, b: 2 }); return 1;"), (error: { message: string }) => {
    ok(error.message.includes("calls that it did not await: add"), error.message);
    return true;
  });
  const failing = "const open = tools.add({ a: 1 }); await tools.add({ a: 1, b: 2 }); return 1;";
  await rejects(run(server, failing), (error: { message: string }) => {
    ok(error.message.includes("add failed with invalid_input"), error.message);
    return true;
  });
  await server.close();
});

test("programs call neither themselves nor system tools", async () => {
  const slow = defineTool("slow").describe("Slow").promise().handle(() => 1);
  const server = serverOf([add, slow]);
  const source = (name: string) =>
    `try { await tools.${name}({}); return "called"; } catch (error) { return error.code; }`;
  for (const name of ["run_code", "search_tools", "describe_tools"]) {
    strictEqual((await run(server, source(name))).value, "tool_not_found", name);
  }
  for (const name of ["redeem", "cancel"]) {
    strictEqual((await run(server, source(name))).value, "permission_denied", name);
  }
  await server.close();
});

test("callable leaves tools out of programs, searches and declarations, and not of the server", async () => {
  const server = serverOf([add, defineTool("other").describe("Another tool").handle(() => 2)], {
    callable: ({ name }) => name !== "other",
  });
  const client = testClient(server);
  strictEqual(await client.$.call("other"), 2);
  await rejects(run(server, "return await tools.other()"), { code: "program" });
  const { tools } = await client.$.call("search_tools", { query: "another tool" }) as { tools: unknown[] };
  deepStrictEqual(tools, []);
  const described = await client.$.call("describe_tools", { names: ["other", "add"] }) as Record<string, unknown>;
  deepStrictEqual(Object.keys(described["unknown"] as object), ["other"]);
  ok(String(described["declarations"]).startsWith("/** Add two numbers */\ntools.add:"));
  await server.close();
});

test("names that are not identifiers are mapped, and a clash is an error of the server's creation", async () => {
  const posted = defineTool("API-post-search").describe("Search").handle(() => "found");
  const server = serverOf([posted]);
  const source = 'return [await tools.API_post_search(), await tools["API-post-search"]()]';
  deepStrictEqual((await run(server, source)).value, ["found", "found"]);
  await server.close();
  const other = defineTool("API.post.search").describe("Search").handle(() => "found");
  let message = "";
  try {
    createServer({ tools: [posted, other], logger: QUIET, discovery: codeMode({ executor: inline }) });
  } catch (error) {
    ({ message } = error as Error);
  }
  ok(message.includes('"API-post-search" and "API.post.search" are both tools.API_post_search in programs'), message);
});

test("options are checked", async () => {
  const check = async (make: () => unknown, part: string) => {
    await rejects(async () => await make(), (error: Error) => {
      ok(error.message.includes(part), error.message);
      return true;
    });
  };
  // deno-lint-ignore no-explicit-any
  const wrong = (options: unknown) => () => codeMode(options as any);
  await check(wrong({}), "executor must be what quickjs() gives");
  await check(wrong({ executor: inline, limit: {} }), 'did you mean "limits"?');
  await check(wrong({ executor: inline, limits: { cpu: 1 } }), 'there is no option "cpu"');
  await check(wrong({ executor: inline, limits: { cpuMs: 0 } }), "cpuMs must be a number above 0");
  // deno-lint-ignore no-explicit-any
  await check(() => quickjs({ isolation: "process" } as any), 'isolation must be "thread" or "inline"');
  const taken = defineTool("run_code").describe("Run").handle(() => 1);
  await check(() => serverOf([taken]), '"run_code" is a tool of codeMode()');
  await check(() => serverOf([add], { pinned: ["ad"] }), 'codeMode() pins the tool "ad", which does not exist');
});

test("middleware, the observer and traces see each call of a program below run_code", async () => {
  const seen: [string, string | undefined, string | undefined][] = [];
  const server = serverOf([add], {}, {
    middleware: [(ctx, next) => {
      if (ctx.tool.name === "run_code") {
        ctx.trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
      }
      seen.push([ctx.tool.name, ctx.trace?.traceparent, ctx.principal?.id]);
      return next();
    }],
  });
  await run(server, "return await tools.add({ a: 1, b: 2 })", { id: "ada", scopes: [] });
  const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  deepStrictEqual(seen, [["run_code", trace, "ada"], ["add", trace, "ada"]]);
  await server.close();
});

test("as many calls as the limit run at once, and the others wait", async () => {
  let running = 0;
  let most = 0;
  const busy = defineTool("busy").describe("Wait").handle(async () => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < 20; turn++) await undefined;
    running--;
    return 1;
  });
  const server = serverOf([busy], { limits: { inFlight: 3 } });
  const { value } = await run(
    server,
    "return (await Promise.all(Array.from({ length: 20 }, () => tools.busy()))).length",
  );
  strictEqual(value, 20);
  strictEqual(most, 3);
  await server.close();
});

test("items of a tool with a budget are read page by page", async () => {
  const { budget } = await import("../../../src/entries/answers.ts");
  const rows = Array.from({ length: 500 }, (_, id) => ({ id, title: `A row with the number ${id}` }));
  const list = defineTool("list").describe("List rows").annotate({ readOnlyHint: true })
    .answer(budget({ maxTokens: 1_000 })).handle(() => rows);
  const server = serverOf([list, add]);
  const source = `
    let sum = 0, count = 0;
    for await (const { id } of tools.list.items()) { sum += id; count++; }
    return [count, sum];
  `;
  deepStrictEqual((await run(server, source)).value, [500, 499 * 250]);
  await rejects(run(server, "for await (const one of tools.add.items({ a: 1, b: 2 })) ; return 1"), {
    code: "program",
  });
  await server.close();
});

test("declarations have the failures of a tool as a union, and an example", async () => {
  const lock = defineTool("lock").describe("Lock a door. */ evil")
    .input(
      jsonSchema<{ door: string }>({ type: "object", properties: { door: { type: "string" } }, required: ["door"] }),
    )
    .errors({
      locked: jsonSchema<{ by: string }>({ type: "object", properties: { by: { type: "string" } }, required: ["by"] }),
      absent: null,
    })
    .examples([{ input: { door: "front" } }])
    .handle((): string => "locked");
  const server = serverOf([lock]);
  const { declarations } = await testClient(server).$.call("describe_tools", { names: ["lock"] }) as {
    declarations: string;
  };
  strictEqual(
    declarations,
    `/**
 * Lock a door. * / evil
 * @throws { code: "locked", data: { by: string } } | { code: "absent" }
 * @example {"door":"front"}
 */
tools.lock: (input: { door: string }) => Promise<unknown>;`,
  );
  await server.close();
});
