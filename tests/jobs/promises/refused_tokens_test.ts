/** Tokens that are refused leave a hint in the server's log, at most once a minute; callers are given no reason. */
import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type UntypedClient } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { FakeClock, testClient } from "../../../src/entries/testing.ts";
import { KEYS } from "./promised.ts";

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function opened(names: readonly string[] = ["work", "ask"]) {
  const lines: Line[] = [];
  const clock = new FakeClock();
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (message: string, fields: Line["fields"] = {}) => void lines.push({ message, fields }),
  };
  const tools = [
    defineTool("work").describe("Work").promise().handle(() => "done"),
    defineTool("ask").describe("Ask").input(v.object({ of: v.string() })).handle(async (_, ctx) => {
      const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
      return action;
    }),
  ];
  const beat = defineTool("beat").describe("Beat").promise().handle(() => {});
  const chosen = [beat, ...tools.filter(({ name }) => names.includes(name))];
  const server = createServer({ tools: chosen, keys: KEYS, clock, logger });
  const as = (id?: string): UntypedClient => {
    const client = testClient(server, id === undefined ? {} : { principal: { id } });
    return client as unknown as UntypedClient;
  };
  return { lines, clock, as };
}

test("a promise of another caller is refused, and the log has a hint without the token", async () => {
  const { lines, clock, as } = opened();
  const { token } = await as("ada").$.start("work");
  for (const _ of [1, 2, 3]) await rejects(as("bob").$.redeem(token).result(), { code: "invalid_promise" });
  deepStrictEqual(lines.map(({ fields }) => fields), [{ principal: "bob", refused: 1 }]);
  match(lines[0]!.message, /^A promise token was refused: it was given to another caller, was signed by other keys/);
  clock.tick(60_000);
  await rejects(as().$.redeem(token).result(), { code: "invalid_promise" });
  deepStrictEqual(lines.map(({ fields }) => fields), [{ principal: "bob", refused: 1 }, { refused: 3 }]);
  ok(!JSON.stringify(lines).includes(token));
});

test("the log says that a promise was given to an anonymous caller", async () => {
  const { lines, as } = opened();
  const { token } = await as().$.start("work");
  await rejects(as("bob").$.redeem(token).result(), { code: "invalid_promise" });
  match(lines[0]!.message, /was given to an anonymous caller.*the same credentials/);
});

test("the log names the tool of a promise that this server does not have", async () => {
  const { lines, as } = opened(["ask"]);
  const { token } = await opened().as("ada").$.start("work");
  await rejects(as("ada").$.redeem(token).result(), { code: "invalid_promise" });
  match(lines[0]!.message, /this caller or server does not have its tool work$/);
});

test("the log says why a continuation was refused", async () => {
  for (
    const [name, args, of, reason] of [
      ["bob", { of: "a" }, "ask", /it was given to another caller/],
      ["ada", { of: "b" }, "ask", /the call has other arguments/],
      ["ada", {}, "work", /it is of the tool ask, not work/],
    ] as const
  ) {
    const { lines, as } = opened();
    const outcome = await as("ada").$.outcome("ask", { of: "a" });
    ok(outcome.kind === "elicitation");
    const meta = { continuation: outcome.continuation, responses: { sure: { action: "decline" } } };
    await rejects(as(name).$.call(of, args, { meta }), { code: "invalid_continuation" });
    deepStrictEqual(lines.map(({ message }) => reason.test(message)), [true], JSON.stringify(lines));
  }
});
