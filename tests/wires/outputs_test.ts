/** Whatever a handler returns is received equal, by the rules of docs/tools.md, or refused with its path in the log; on every wire. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { streamOf } from "../stream_of.ts";
import fc from "fast-check";
import { z } from "zod";
import { createClient, createServer, defineTool, type Logger } from "../../mod.ts";
import { content, mcp } from "../../src/entries/mcp.ts";
import { skipOf, WIRES, wires } from "./matrix.ts";

const BYTES = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 1]);
const PICTURE = { type: "image", data: "iVBORw0KGgoAAQ==", mimeType: "image/png" };
const OCTETS = {
  type: "resource",
  resource: { uri: "file:///file", mimeType: "application/octet-stream", blob: "AQI=" },
};
const CSV = { type: "resource", resource: { uri: "file:///a.csv", mimeType: "text/csv", text: "a,b" } };

class Empty {
  get shown() {
    return 1;
  }
}
class Row {
  n = 1;
  #hidden = 2;
  sum() {
    return this.n + this.#hidden;
  }
}
class Money {
  toJSON() {
    return { amount: "1.00" };
  }
}

interface Odd {
  readonly make: () => unknown;
  /** What is received; `undefined` if it is refused. */
  readonly received?: () => unknown;
  /** Path of the refused part within it. */
  readonly below?: string;
}

const ODD: Readonly<Record<string, Odd>> = {
  "a Date": { make: () => new Date(0), received: () => "1970-01-01T00:00:00.000Z" },
  "a URL": { make: () => new URL("https://example.com/"), received: () => "https://example.com/" },
  "toJSON": { make: () => new Money(), received: () => ({ amount: "1.00" }) },
  "a class with members": { make: () => new Row(), received: () => ({ n: 1 }) },
  "a boxed text": { make: () => new String("a"), received: () => "a" },
  "bytes of a picture": { make: () => BYTES, received: () => PICTURE },
  "bytes": { make: () => new Uint8Array([1, 2]), received: () => OCTETS },
  "a part of a buffer": { make: () => new Uint8Array([0, 1, 2, 3]).subarray(1, 3), received: () => OCTETS },
  "an ArrayBuffer": { make: () => new Uint8Array([1, 2]).buffer, received: () => OCTETS },
  "a DataView": { make: () => new DataView(new Uint8Array([1, 2]).buffer), received: () => OCTETS },
  "a Blob": { make: () => new Blob([BYTES], { type: "image/png" }), received: () => PICTURE },
  "a File": { make: () => new File(["a,b"], "a.csv", { type: "text/csv" }), received: () => CSV },
  "a Map": { make: () => new Map([["a", 1]]) },
  "a Set": { make: () => new Set([1]) },
  "a WeakMap": { make: () => new WeakMap() },
  "a Promise": { make: () => ({ later: Promise.resolve(1) }), below: ".later" },
  "a Response": { make: () => new Response("a") },
  "URLSearchParams": { make: () => new URLSearchParams("a=1") },
  "a RegExp": { make: () => /a/ },
  "an Error": { make: () => ({ cause: Object.assign(new Error("a"), { code: 1 }) }), below: ".cause" },
  "an invalid Date": { make: () => new Date(NaN) },
  "an empty class": { make: () => new Empty() },
  "a function": { make: () => () => 1 },
  "a symbol": { make: () => Symbol("a") },
  "a BigInt": { make: () => 1n },
  "NaN": { make: () => NaN },
  "Infinity": { make: () => -Infinity },
  "numbers of 8 bytes": { make: () => new Float64Array(2) },
  "an iterator": { make: () => [1].values() },
};

/** A value as a handler returns it, as its caller receives it, and the path of the first part that is refused. */
interface Case {
  readonly returned: unknown;
  readonly received: unknown;
  readonly refusedAt?: string | undefined;
}

const json = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const name = fc.stringMatching(/^[a-z]{1,6}$/);
const odd = fc.constantFrom(...Object.values(ODD));

/** The odd value below members and items of a plain one. */
const cases: fc.Arbitrary<Case> = fc.oneof(
  json.map((value) => ({ returned: value, received: value })),
  fc.tuple(odd, fc.array(fc.tuple(fc.option(name, { nil: undefined }), json), { maxLength: 3 })).map(
    ([{ make, received, below = "" }, outer]) => {
      let path = below.slice(1);
      let both: readonly unknown[] = [make(), received?.()];
      for (const [member, beside] of outer) {
        path = member === undefined ? `[0]${dotted(path)}` : `${member}${dotted(path)}`;
        both = both.map((value) => member === undefined ? [value, beside] : { [member]: value, "beside it": beside });
      }
      const [returned, sent] = both;
      return { returned, received: sent, refusedAt: received === undefined ? path : undefined };
    },
  ),
);

function dotted(path: string): string {
  return path === "" || path.startsWith("[") ? path : `.${path}`;
}

function createFixture() {
  const errors: Error[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (_, fields) => errors.push(fields?.["error"] as Error),
  };
  const given = { value: undefined as unknown };
  const tools = [
    defineTool("give").describe("Gives a value").handle(() => given.value),
    defineTool("give_later").describe("Gives a value later").handle(() => Promise.resolve().then(() => [given.value])),
    defineTool("user").describe("Gives a row").output(z.object({ n: z.number() })).handle(() =>
      given.value as { n: number }
    ),
    defineTool("stream").describe("Streams bytes").handle(() => streamOf(BYTES.subarray(0, 4), BYTES.subarray(4))),
  ] as const;
  const server = createServer({ tools, wires, logger });
  return { server, given, errors };
}

for (const wire of WIRES) {
  test(`${wire.name}: what is returned is received equal, or refused by its path`, { skip: skipOf(wire) }, async () => {
    const { server, given, errors } = createFixture();
    const { transport, close } = await wire.open(server);
    const client = createClient<typeof server>(transport);
    try {
      await fc.assert(
        fc.asyncProperty(cases, async ({ returned, received, refusedAt }) => {
          given.value = returned;
          if (refusedAt === undefined) return deepStrictEqual(await client.give({}), received);
          errors.length = 0;
          await rejects(async () => await client.give({}), { code: "internal" });
          const [{ message } = new Error("nothing was logged")] = errors;
          match(message, /^The output cannot be sent(: | at ").+; return /);
          ok(
            refusedAt === ""
              ? message.startsWith("The output cannot be sent: ")
              : message.includes(` at "${refusedAt}": `),
            message,
          );
        }),
        { numRuns: 60, examples: Object.values(ODD).map((one) => [exampleOf(one)]) },
      );
      given.value = new File(["a,b"], "a.csv", { type: "text/csv" });
      deepStrictEqual(await client.give_later({}), [CSV]);
      given.value = { n: 1, secret: "s" };
      deepStrictEqual(await client.user({}), { n: 1 });
      const file = content.readFile(await client.stream({}));
      deepStrictEqual(file?.bytes, BYTES);
      for (
        const blocks of [
          content.image(BYTES, "image/png"),
          { content: [content.image(BYTES, "image/png"), content.text("Look")] },
          [content.text("a"), content.text("b")],
        ]
      ) {
        given.value = blocks;
        deepStrictEqual(await client.give({}), blocks);
      }
    } finally {
      await close();
      await server.close(0);
    }
  });
}

function exampleOf({ make, received, below = "" }: Odd): Case {
  return { returned: make(), received: received?.(), refusedAt: received === undefined ? below.slice(1) : undefined };
}

test("MCP shows files as blocks: alone, in a list, below members, and as handlers of other SDKs return them", async () => {
  const given = { value: undefined as unknown };
  const server = createServer({
    tools: [defineTool("give").describe("Gives a value").handle(() => given.value)],
    wires: [mcp()],
  });
  const call = async (value: unknown) => {
    given.value = value;
    const response = await server.fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "give", arguments: {} } }),
      }),
    );
    const { result } = await response.json() as {
      result: { content: unknown[]; structuredContent?: unknown; isError?: boolean };
    };
    return result;
  };
  deepStrictEqual((await call(BYTES)).content, [PICTURE]);
  deepStrictEqual((await call([BYTES, new Uint8Array([1, 2])])).content, [PICTURE, OCTETS]);
  deepStrictEqual((await call({ content: [PICTURE] })).content, [PICTURE]);
  const failed = await call({ content: [content.text("no")], isError: true });
  deepStrictEqual([failed.content, failed.isError], [[{ type: "text", text: "no" }], true]);
  const { content: shown, structuredContent } = await call({ title: "A", png: BYTES });
  deepStrictEqual(shown, [
    { type: "text", text: '{"title":"A","png":{"file":1,"type":"image/png","bytes":10}}' },
    PICTURE,
  ]);
  deepStrictEqual(structuredContent, { title: "A", png: PICTURE });
  strictEqual((await call("text")).content.length, 1);
});

test("bytes of ctx.meta() are blocks, as in answers, and what JSON would lose there is refused", async () => {
  const lines: string[] = [];
  const write = (_: string, fields?: Readonly<Record<string, unknown>>) => void lines.push(String(fields?.["error"]));
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const make = defineTool("make").describe("Make").input(z.object({ what: z.string() })).handle(({ what }, ctx) => {
    const values: Readonly<Record<string, unknown>> = {
      bytes: new Uint8Array([1, 2]),
      blob: new Blob([new Uint8Array([1, 2])]),
      map: new Map(),
    };
    ctx.meta({ made: values[what] });
    return 1;
  });
  const server = createServer({ tools: [make], logger });
  const client = createClient(server);
  for (const what of ["bytes", "blob"]) {
    const outcome = await client.make.outcome({ what });
    ok(outcome.kind === "answer");
    deepStrictEqual([outcome.value, outcome.meta?.["made"]], [1, OCTETS], what);
  }
  await rejects(client.make({ what: "map" }), { code: "internal" });
  match(lines.join("\n"), /The _meta cannot be sent at "made": it is a Map/);
  await client.$.close();
  await server.close();
});
