/** One suite over every wire: what a caller sees does not depend on how the call travelled. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient, ToolError } from "../../mod.ts";
import { readContract } from "../../src/core/call/listed_contract.ts";
import { createFixture, type FixtureServer, type Journal } from "./fixture.ts";
import { carries, COMPOSED, isChosen, type Lack, PLAIN, skipOf, type WireRow, WIRES } from "./matrix.ts";
import { eventually } from "../eventually.ts";

type Scenario = (client: Client<FixtureServer>, journal: Journal, wire: WireRow) => Promise<void>;

async function run(wire: WireRow, scenario: Scenario): Promise<void> {
  const { server, journal } = createFixture();
  const { transport, close } = await wire.open(server);
  try {
    await scenario(createClient<FixtureServer>(transport), journal, wire);
  } finally {
    transport.close?.();
    await close();
  }
}

/** Whatever a call rejects with: a `ToolError` or a `Failure`. */
interface Rejection extends Error {
  readonly code: string;
  readonly details?: unknown;
  readonly data?: unknown;
}

async function rejection(work: Promise<unknown>): Promise<Rejection> {
  try {
    await work;
  } catch (error) {
    return error as Rejection;
  }
  throw new Error("did not reject");
}

const AWKWARD = [
  "",
  " x ",
  "a\nb",
  "a\r\nb",
  "a\rb",
  "\0",
  "\u2028\u2029",
  "\ufeffBOM",
  "\ufffd",
  "😀 é 日本",
  "data: x\n\nevent: done",
  '"\\"',
];

/** The pieces that a caller gets. */
function sent<Piece>(pieces: readonly Piece[], wire: WireRow): readonly Piece[] {
  return carries(wire, "pieces of answers") ? pieces : [];
}

const NEEDS: Readonly<Record<string, readonly Lack[]>> = {
  "aborts the handler when the reader leaves the loop": ["pieces of answers"],
  "fails as declared": ["data of errors"],
  "passes on a refusal of the handler's own, without its cause": ["data of errors"],
  "masks what broke, and logs it under the same id": ["data of errors"],
  "refuses wrong arguments and says which": ["data of errors"],
  "refuses unknown tools and suggests the nearest": ["data of errors"],
  "carries what the handler adds to _meta": ["_meta"],
  "lists declared failures and the schema of partials": ["_meta"],
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async "lists the tools with everything that was declared"(client, _, wire) {
    const tools = await client.$.list();
    deepStrictEqual(tools[0], {
      name: "add",
      "@type": "math",
      title: "Addition",
      description: "Add two numbers",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number", description: "First" }, b: { type: "number", default: 10 } },
        required: ["a"],
        examples: [{ a: 1, b: 2 }, { a: 5 }],
      },
      outputSchema: {
        type: "object",
        properties: { sum: { type: "number" } },
        required: ["sum"],
        examples: [{ sum: 3 }],
      },
      annotations: { readOnlyHint: true },
      ...(carries(wire, "_meta") && { _meta: { "example.com/unit": "none" } }),
    });
    deepStrictEqual(tools.find(({ name }) => name === "nothing")?.inputSchema, { type: "object" });
  },

  async "lists declared failures and the schema of partials"(client) {
    const contracts = new Map((await client.$.list()).map((tool) => {
      // Older revisions of MCP list an object around the output.
      const { wrapsOutput: _, ...contract } = readContract(tool);
      return [tool.name, contract];
    }));
    deepStrictEqual(contracts.get("report"), { partialSchema: { type: "string" } });
    deepStrictEqual(contracts.get("locked"), {
      errors: { locked: { type: "object", properties: { by: { type: "string" } }, required: ["by"] }, gone: null },
    });
    deepStrictEqual(contracts.get("add"), {});
  },

  async "answers a synchronous, an asynchronous and a defaulted call"(client) {
    deepStrictEqual(await client.add({ a: 1, b: 2 }), { sum: 3 });
    deepStrictEqual(await client.add({ a: 1 }), { sum: 11 });
    strictEqual(await client.add_later({ a: 20, b: 22 }), 42);
  },

  async "takes any arguments where none were declared"(client) {
    deepStrictEqual(await client.anything({ b: 1, a: 2 }), ["a", "b"]);
    deepStrictEqual(await client.anything(), []);
  },

  async "answers nothing with undefined, and null with null"(client) {
    strictEqual(await client.nothing(), undefined);
    strictEqual(await client.echo({ value: null }), null);
  },

  async "gives back JSON values as they were"(client) {
    const values: unknown[] = [0, -1.5, 1e308, 2 ** 53, true, [], {}, [[{ a: [null] }]], {
      "a.b": 1,
      __proto: 2,
      constructor: 3,
    }, ...AWKWARD];
    for (const value of values) deepStrictEqual(await client.echo({ value }), value);
  },

  async "shows what a caller gets of values that JSON changes"(client) {
    strictEqual(await client.date() as unknown, "1970-01-01T00:00:00.000Z");
  },

  async "streams pieces in order and joins them when nothing was returned"(client, _, wire) {
    const stream = client.report.stream({ pieces: AWKWARD });
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    deepStrictEqual(pieces, sent(AWKWARD, wire));
    strictEqual(await stream.result, AWKWARD.join(""));
    strictEqual(await client.report({ pieces: AWKWARD }), AWKWARD.join(""));
    strictEqual(await client.report.stream({ pieces: ["a", "b"] }).result, "ab");
  },

  async "streams pieces and then a whole"(client, _, wire) {
    const stream = client.count.stream({ to: 200 });
    let pieces = 0;
    for await (const { at } of stream) strictEqual(at, ++pieces);
    strictEqual(pieces, carries(wire, "pieces of answers") ? 200 : 0);
    strictEqual(await stream.result, 20_100);
    strictEqual(await client.count({ to: 3 }), 6);
  },

  async "streams a tool that does not stream"(client) {
    const stream = client.add.stream({ a: 1 });
    for await (const _ of stream) throw new Error("there are no pieces");
    deepStrictEqual(await stream.result, { sum: 11 });
  },

  async "delivers what was streamed before a failure, a refusal and a break"(client, _, wire) {
    for (const [how, code] of [["failure", "tired"], ["refusal", "rate_limited"], ["break", "internal"]] as const) {
      const pieces: unknown[] = [];
      const error = await rejection((async () => {
        for await (const piece of client.stumble.stream({ how })) pieces.push(piece);
      })());
      strictEqual(error.code, code);
      deepStrictEqual(pieces, sent(["first"], wire));
      ok(!error.message.includes("secret"));
    }
  },

  async "aborts the handler when the reader leaves the loop"(client, journal) {
    let pieces = 0;
    for await (const _ of client.endless.stream()) if (++pieces === 3) break;
    await eventually(() => journal.seen.length > 0);
    deepStrictEqual(journal.seen, ["endless ended, aborted: true"]);
  },

  async "tells progress to whoever listens"(client, _, wire) {
    const seen: unknown[] = [];
    strictEqual(await client.work({}, { onProgress: (progress) => seen.push(progress) }), "worked");
    const reported = [{ done: 1, total: 2, message: "half" }, { done: 2, total: 2 }];
    deepStrictEqual(seen, carries(wire, "progress of calls") ? reported : []);
    strictEqual(await client.work(), "worked");
  },

  async "fails as declared"(client) {
    const error = await rejection(client.locked({ how: "locked" }));
    deepStrictEqual([error.name, error.code, error.message, error.data], ["Failure", "locked", "It is locked", {
      by: "batch",
    }]);
    ok(client.locked.isFailure(error) && error.code === "locked" && error.data.by === "batch");
    const outcome = await client.locked.outcome({ how: "locked" });
    if (outcome.kind !== "failure" || outcome.code !== "locked") throw new Error("not the declared failure");
    strictEqual(outcome.data?.by, "batch");
    const gone = await rejection(client.locked({ how: "gone" }));
    deepStrictEqual([gone.code, gone.data], ["gone", undefined]);
  },

  async "passes on a refusal of the handler's own, without its cause"(client) {
    const error = await rejection(client.refuse());
    ok(error instanceof ToolError && !client.refuse.isFailure(error));
    deepStrictEqual([error.code, error.message, error.details], ["conflict", "Not like this", { with: "that" }]);
    ok(!JSON.stringify(error).includes("secret"));
  },

  async "masks what broke, and logs it under the same id"(client, journal) {
    const error = await rejection(client.boom());
    strictEqual(error.code, "internal");
    ok(!JSON.stringify([error, error.message]).includes("secret"));
    const [entry] = journal.errors;
    strictEqual(entry?.["correlationId"], (error.details as Record<string, unknown>)["correlation_id"]);
    strictEqual((entry?.["error"] as Error).message, "secret: password at /etc/shadow");
  },

  async "masks an output that was not declared"(client, journal) {
    const error = await rejection(client.wrong());
    strictEqual(error.code, "internal");
    ok(!error.message.includes("secret"));
    strictEqual(journal.errors.length, 1);
  },

  async "ends in one well-formed error when the result cannot be written"(client, journal) {
    for (const what of ["bigint", "cycle", "getter"] as const) {
      const error = await rejection(client.unwritable({ what }));
      deepStrictEqual([error.name, error.code], ["ToolError", "internal"]);
      ok(!error.message.includes("secret"));
      const streamed = await rejection(client.unwritable.stream({ what }).result);
      strictEqual(streamed.code, "internal");
    }
    strictEqual(journal.errors.length, 6);
  },

  async "refuses wrong arguments and says which"(client) {
    const error = await rejection(client.$.call("add", { a: "one" }));
    strictEqual(error.code, "invalid_input");
    const { issues } = error.details as { issues: Record<string, unknown>[] };
    deepStrictEqual(issues.map(({ path, expected, received }) => ({ path, expected, received })), [
      { path: ["a"], expected: "number", received: '"one"' },
    ]);
    for (const input of [{}, { a: null }]) {
      strictEqual((await rejection(client.$.call("add", input))).code, "invalid_input");
    }
  },

  async "refuses unknown tools and suggests the nearest"(client) {
    const error = await rejection(client.$.call("ad", {}));
    deepStrictEqual([error.code, error.message], [
      "tool_not_found",
      'Tool "ad" was not found; did you mean "add"?',
    ]);
    const other = await rejection(client.$.call("get_weather", {}));
    ok(/^Tool "get_weather" was not found; no similar tool: \w/.test(other.message), other.message);
    const details = error.details as Record<string, unknown>;
    deepStrictEqual([details["requested_tool"], details["suggestion"]], ["ad", "Did you mean 'add'?"]);
    for (const name of ["constructor", "__proto__", "toString", "", "add "]) {
      strictEqual((await rejection(client.$.call(name, {}))).code, "tool_not_found");
    }
  },

  async "aborts a call with the caller's own reason, and the handler with it"(client, journal) {
    const controller = new AbortController();
    const reason = new Error("no longer needed");
    const call = rejection(client.hang({}, { signal: controller.signal }));
    await eventually(() => journal.seen.length > 0);
    controller.abort(reason);
    strictEqual(await call, reason);
    await eventually(() => journal.seen.length > 1);
    deepStrictEqual(journal.seen, ["hang started", "hang aborted: cancelled"]);
    await rejects(client.add({ a: 1 }, { signal: controller.signal }), reason);
  },

  async "ends a call at the tool's timeout, and at the caller's, and tells the handler"(client, journal) {
    strictEqual((await rejection(client.brief())).code, "deadline_exceeded");
    // On a busy machine a short time limit ends before the request arrives: it is then doubled.
    for (let timeoutMs = 30; journal.seen.length === 0 && timeoutMs < 5_000; timeoutMs *= 2) {
      strictEqual((await rejection(client.hang({}, { timeoutMs }))).code, "deadline_exceeded");
    }
    await eventually(() => journal.seen.some((line) => line.startsWith("hang aborted")));
  },

  async "carries what the handler adds to _meta"(client) {
    const outcome = await client.annotated.outcome();
    if (outcome.kind !== "answer") throw new Error("not an answer");
    strictEqual(outcome.value, "ok");
    strictEqual(outcome.meta?.["example.com/cost"], 3);
  },

  async "carries large arguments and results"(client) {
    const value = "é".repeat(250_000);
    strictEqual(await client.echo({ value }), value);
    strictEqual((await client.big({ length: 5_000_000 })).length, 5_000_000);
  },

  async "keeps concurrent calls apart"(client) {
    const sums = await Promise.all(Array.from({ length: 200 }, (_, index) => client.add_later({ a: index, b: index })));
    deepStrictEqual(sums, Array.from({ length: 200 }, (_, index) => 2 * index));
  },
};

for (const wire of [...WIRES, ...COMPOSED, PLAIN]) {
  for (const [place, [name, scenario]] of Object.entries(SCENARIOS).entries()) {
    if (!isChosen(wire, place)) continue;
    test(`${wire.name}: ${name}`, { skip: skipOf(wire, NEEDS[name]) }, () => run(wire, scenario));
  }
}
