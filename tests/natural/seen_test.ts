/** Each row of `seen.ts` has a test; those that have no better place are here. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer, defineTool } from "../../mod.ts";
import { discover } from "../../src/entries/discovery.ts";
import { every } from "../../src/entries/schedules.ts";
import { testClient } from "../../src/entries/testing.ts";
import { runtime } from "../runtime/runtime.ts";
import { ELSEWHERE, EVERYWHERE, type Seen, SMALL } from "./seen.ts";

const skip = runtime === "workerd" && "it has no files";

/** Text of a file below `tests/` without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8");
  return text.replace(/^\s*(\/\*\*.*?\*\/|\/\/.*?$)/gms, "");
}

for (const [name, rows] of Object.entries({ EVERYWHERE, ELSEWHERE, SMALL })) {
  test(`what people wrote has its tests: ${name}`, { skip }, () => {
    deepStrictEqual(rows.flatMap(missingIn), []);
  });
}

/** The tests of a row that are not there. */
function missingIn([what, ...tests]: Seen): readonly string[] {
  const missing = tests.filter(([file, title]) => !codeOf(file).includes(title));
  return missing.map(([file, title]) => `${what}: ${file} has no test ${JSON.stringify(title)}`);
}

test("a row whose test is gone is found", { skip }, () => {
  strictEqual(missingIn(["a", ["natural/natural_test.ts", "a title that is not there"]]).length, 1);
});

test("a schedule of a tool without arguments needs none", () => {
  const tick = defineTool("tick").describe("Tick").promise().handle(() => null);
  strictEqual(every(1_000, tick).name, "tick every 1000");
});

test("search_tools lists each argument that it knows", async () => {
  const tools = ["a", "b"].map((name) => defineTool(name).describe(name).handle(() => name));
  const server = createServer({ tools, discovery: discover({ when: "always" }) });
  const search = (await testClient(server).$.list()).find(({ name }) => name === "search_tools");
  deepStrictEqual(Object.keys(search?.inputSchema?.["properties"] ?? {}).sort(), ["detail", "group", "limit", "query"]);
});

/** Text of a file of the repository. */
const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

test("the types of toolwire/otel are of this package alone", { skip }, () => {
  const blocks = read("tests/arch/signatures.txt").split(/\n\n(?=\/\/ )/);
  const declared = new Set(blocks.flatMap((block) => /^(?:interface|type|class) (\w+)/m.exec(block)?.[1] ?? []));
  const own = blocks.filter((block) => block.startsWith("// ./otel\n"));
  const named = new Set(own.flatMap((block) => block.match(/\b[A-Z]\w+/g) ?? []));
  deepStrictEqual(own.length >= 5, true);
  deepStrictEqual([...named].filter((name) => !declared.has(name)), []);
});

test("the page of the client states what Connect costs in a page", { skip }, () => {
  const [, alone, , connect] = /has about (\d+) kB, with `restTransport` (\d+); `connectTransport`.*? about (\d+)/s
    .exec(read("docs/client.md")) ?? [];
  strictEqual(Number(connect) > 2 * Number(alone), true);
});

test("the default logger prints a message without fields alone", async () => {
  const { error } = console;
  const lines: unknown[][] = [];
  console.error = (...line: unknown[]) => void lines.push(line);
  try {
    // Without keys the server warns, with a message alone.
    const ask = defineTool("ask").describe("Ask").promise().handle(() => 1);
    const server = createServer({ tools: [ask] });
    await server.fetch(
      new Request("http://localhost/mcp-lite/v1/calltools", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "ask", arguments: {}, _meta: { promise: true } },
        }),
      }),
    );
    await server.close(0);
  } finally {
    console.error = error;
  }
  deepStrictEqual(lines.map((line) => line.length), [1]);
});
