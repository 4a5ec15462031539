/** Broken programs: what a model reads of each, to write it again. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import type { ProgramProblem } from "../../../src/entries/code.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { run, serverOf } from "./fixture.ts";

const list = defineTool("list_issues").describe("List the issues of a repository.")
  .input(jsonSchema<{ owner: string; per_page?: number }>({
    type: "object",
    properties: { owner: { type: "string" }, per_page: { type: "integer" } },
    required: ["owner"],
    additionalProperties: false,
  }))
  .output(jsonSchema<{ issues: { id: number; title: string }[] }>({
    type: "object",
    properties: {
      issues: {
        type: "array",
        items: {
          type: "object",
          properties: { id: { type: "integer" }, title: { type: "string" } },
          required: ["id", "title"],
        },
      },
    },
    required: ["issues"],
  }))
  .errors({ no_such_owner: jsonSchema<{ owner: string }>({ type: "object" }) })
  .handle(({ owner }, ctx) => {
    if (owner === "nobody") throw ctx.fail("no_such_owner", "There is no such owner", { owner });
    return { issues: [{ id: 1, title: "A bug" }] };
  });

const secret = defineTool("secret").describe("Secret").scopes("admin").handle(() => 1);

const DECLARATION =
  "tools.list_issues: (input: { owner: string, per_page?: number }) => Promise<{ issues: { id: number, title: string }[] }>;";
const AWAIT = "Write await before each call";
const NO_TYPES = "Programs are JavaScript: leave the types out";
const NO_MODULES = "There are no modules";
const NO_NETWORK = "A program has no network";
const NO_TIMERS = "There are no timers: await sleep(ms)";

type Broken = readonly [
  name: string,
  source: string,
  kind: ProgramProblem["kind"],
  line: number | undefined,
  message: string,
  hint?: string,
];

const FIRST = "const { issues } = await tools.list_issues({ owner: 'a' });\n";

/** Name, source, and what its error has: the kind, the line, a part of the message, and a part of the hint. */
const BROKEN: readonly Broken[] = [
  ["a token is missing", `${FIRST}const a = ;`, "syntax", 2, "unexpected token"],
  ["a parenthesis is open", `${FIRST}return issues.map((one) => one.id`, "syntax", undefined, ""],
  ["a text is open", `const a = "b;\nreturn a`, "syntax", 1, ""],
  ["types of TypeScript", `${FIRST}const ids: number[] = [];\nreturn ids`, "syntax", 2, "", NO_TYPES],
  ["an interface", `interface A { a: string }\nreturn 1`, "syntax", 1, "", NO_TYPES],
  ["a cast", `${FIRST}return issues as unknown`, "syntax", 2, "", NO_TYPES],
  ["an import", `import fs from "node:fs";\nreturn 1`, "syntax", 1, "", NO_MODULES],
  ["an export", `export const a = 1;`, "syntax", 1, "", NO_MODULES],
  ["a name is declared twice", `const a = 1;\nconst a = 2;`, "syntax", 2, "redefinition"],
  ["one brace is too many", `return 1 }`, "syntax", undefined, ""],
  [
    "await in a function that is not async",
    `const f = () => {\n  await tools.list_issues({ owner: "a" });\n};`,
    "syntax",
    2,
    "",
  ],
  ["a name is unknown", `${FIRST}return isues.length`, "type", 2, "isues is not defined", DECLARATION],
  [
    "a member of undefined",
    `${FIRST}return issues[5].title`,
    "type",
    2,
    "cannot read property 'title' of undefined",
    DECLARATION,
  ],
  [
    "the answer is taken for a list",
    `const all = await tools.list_issues({ owner: "a" });\nreturn all.map((one) => one.id)`,
    "type",
    2,
    "not a function",
    DECLARATION,
  ],
  [
    "the call is not awaited, and its result used",
    `const all = tools.list_issues({ owner: "a" });\nreturn all.issues.length`,
    "type",
    2,
    "cannot read property 'length' of undefined",
    DECLARATION,
  ],
  [
    "an answer is iterated",
    `const all = await tools.list_issues({ owner: "a" });\nfor (const one of all) console.log(one);`,
    "type",
    2,
    "iterable",
    DECLARATION,
  ],
  ["an assignment to a constant", `const a = 1;\na = 2;`, "type", 2, "read-only"],
  ["fetch", `return await fetch("http://localhost")`, "type", 1, "fetch is not defined", NO_NETWORK],
  ["require", `const fs = require("fs");`, "type", 1, "require is not defined", NO_NETWORK],
  [
    "a timer",
    `await new Promise((resolve) => setTimeout(resolve, 10));`,
    "type",
    1,
    "setTimeout is not defined",
    NO_TIMERS,
  ],
  [
    "an argument is unknown",
    `${FIRST}return await tools.list_issues({ owner: "a", perPage: 5 })`,
    "type",
    2,
    "list_issues failed with invalid_input",
    DECLARATION,
  ],
  [
    "an argument is missing",
    `return await tools.list_issues({})`,
    "type",
    1,
    "list_issues failed with invalid_input",
    DECLARATION,
  ],
  [
    "an argument has another type",
    `return await tools.list_issues({ owner: 5 })`,
    "type",
    1,
    "list_issues failed with invalid_input",
    DECLARATION,
  ],
  [
    "arguments are not an object",
    `return await tools.list_issues("a")`,
    "type",
    1,
    "list_issues failed with invalid_input",
    DECLARATION,
  ],
  ["arguments are a function", `return await tools.list_issues(() => 1)`, "type", 1, "not JSON", DECLARATION],
  [
    "a tool is unknown",
    `${FIRST}return await tools.list_isues({ owner: "a" })`,
    "runtime",
    2,
    "Did you mean 'list_issues'?",
  ],
  ["a scope is missing", `return await tools.secret()`, "runtime", 1, "secret failed with unauthenticated"],
  [
    "the tool fails",
    `return await tools.list_issues({ owner: "nobody" })`,
    "runtime",
    1,
    "no_such_owner: There is no such owner",
  ],
  ["it throws an error", `${FIRST}if (issues.length < 2) throw new Error("Too few");`, "runtime", 2, "Too few"],
  ["it throws a text", `throw "no"`, "runtime", undefined, "no"],
  ["it throws an error of a range", `return new Array(-1)`, "runtime", 1, "RangeError: invalid array length"],
  ["it recurses", `const deep = () => deep() + 1;\nreturn deep();`, "runtime", 1, "Maximum call stack size exceeded"],
  ["its result is a circle", `const a = {};\na.a = a;\nreturn a;`, "type", undefined, "circular"],
  [
    "a call is not awaited",
    `tools.list_issues({ owner: "a" });\nreturn 1;`,
    "runtime",
    undefined,
    "did not await: list_issues",
    AWAIT,
  ],
  [
    "a call that fails is not awaited",
    `tools.list_issues({});\nawait tools.list_issues({ owner: "a" });\nreturn 1;`,
    "type",
    1,
    "list_issues failed with invalid_input",
    DECLARATION,
  ],
  [
    "it waits for nothing",
    `await new Promise(() => {});`,
    "runtime",
    undefined,
    "waits for something that never comes",
  ],
  ["it calls too often", `for (;;) await tools.list_issues({ owner: "a" });`, "limit", undefined, "more than 20 calls"],
  ["it sleeps a negative time", `await sleep(-1)`, "runtime", 1, "sleep takes milliseconds from 0"],
  [
    "it has no pages",
    `for await (const one of tools.list_issues.items({ owner: "a" })) console.log(one);`,
    "type",
    undefined,
    "list_issues has no pages",
    DECLARATION,
  ],
];

for (const [name, source, kind, line, message, hint] of BROKEN) {
  test(`a model reads what is wrong with its program: ${name}`, async () => {
    const server = serverOf([list, secret], { limits: { calls: 20 } });
    await rejects(run(server, source), (error: { code: string; message: string; data: ProgramProblem }) => {
      strictEqual(error.code, "program");
      const { data } = error;
      const shown = JSON.stringify(data, undefined, 1);
      deepStrictEqual([data.kind, line === undefined ? line : data.line], [kind, line], shown);
      ok(data.message.includes(message), shown);
      ok(error.message.includes(data.message));
      if (line !== undefined) ok(data.excerpt?.includes(`> ${line} | ${source.split("\n")[line - 1]}`), shown);
      if (hint !== undefined) ok(data.hint?.includes(hint), shown);
      ok(data.calls.every((one) => source.includes(one)), shown);
      return true;
    });
    await server.close();
  });
}

test("there are at least 30 broken programs", () => ok(BROKEN.length >= 30));

test("a failure that the program does not catch has the code and the data of the tool", async () => {
  const server = serverOf([list]);
  await rejects(run(server, `await tools.list_issues({ owner: "nobody" })`), (error: { data: ProgramProblem }) => {
    deepStrictEqual(error.data.call, { tool: "list_issues", code: "no_such_owner", data: { owner: "nobody" } });
    return true;
  });
  await server.close();
});

test("what a program wrote before it failed is in its error", async () => {
  const server = serverOf([list]);
  await rejects(run(server, `console.log("so far"); throw 1;`), (error: { data: ProgramProblem }) => {
    strictEqual(error.data.log, "so far");
    return true;
  });
  await server.close();
});

test("a long value is cut, with its length and what to do", async () => {
  const server = serverOf([list], { limits: { answerTokens: 100 } });
  const { value, note } = await run(
    server,
    `return Array.from({ length: 5_000 }, (_, id) => ({ id, title: "Title " + id }))`,
  );
  ok(typeof value === "string" && value.length <= 300 && value.startsWith('[{"id":0,'), String(value));
  ok(note?.startsWith("The value has 1"), String(note));
  ok(note?.endsWith("Return less: filter, count or slice in the program"), String(note));
  await server.close();
});

test("what console.log writes is cut at its limit", async () => {
  const server = serverOf([list], { limits: { logChars: 50 } });
  const { log } = await run(server, `for (let at = 0; at < 100; at++) console.log("line", at);`);
  ok(log?.startsWith("line 0\nline 1\n") && log.endsWith("(limit of console.log)") && log.length < 100, String(log));
  await server.close();
});

test("a program over the limit of its length is refused before it runs", async () => {
  const server = serverOf([list], { limits: { sourceChars: 20 } });
  await rejects(run(server, `return "${"x".repeat(30)}"`), { code: "invalid_input" });
  await server.close();
});
