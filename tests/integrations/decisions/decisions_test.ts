/** Where a decision is made: once for each run, however the call came to the handler. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { gateway, group } from "../../../src/entries/compose.ts";
import { allow, type CallRecord, charge, type Decide, decisions, deny } from "../../../src/entries/decisions.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");

/** A seam that keeps what it sees, and denies what is named. */
function keeping(...denied: readonly string[]) {
  const seen: string[] = [];
  const records: CallRecord[] = [];
  const decide: Decide = ({ tool }) => {
    seen.push(tool);
    return denied.includes(tool) ? deny(`No ${tool}`) : allow();
  };
  return { seen, records, seam: decisions({ decide, record: (record) => void records.push(record) }) };
}

test("a tool of a gateway is decided about here, once, and upstream by its own policy", async () => {
  const [here, there] = [keeping("up_secret"), keeping()];
  const secret = defineTool("secret").describe("Secret").handle(() => "shown");
  const upstream = createServer({ tools: [ping, secret], middleware: [there.seam], logger: false });
  const server = createServer({
    tools: [],
    parts: [group("up", await gateway("up", memoryTransport(upstream)))],
    middleware: [here.seam],
    logger: false,
  });
  const { $ } = createClient(memoryTransport(server));
  strictEqual(await $.call("up_ping", {}), "pong");
  deepStrictEqual([here.seen, there.seen], [["up_ping"], ["ping"]]);
  await rejects(async () => await $.call("up_secret", {}), { code: "permission_denied", message: "No up_secret" });
  deepStrictEqual(there.seen, ["ping"]);
  deepStrictEqual(here.records.map(({ decision, outcome }) => [decision, outcome]), [["allow", "answer"], [
    "deny",
    "error",
  ]]);
  await server.close(0);
  await upstream.close(0);
});

test("a call of a handler is decided about as any other, and a seam of a part and of a tool are for it alone", async () => {
  const [whole, part, own] = [keeping(), keeping(), keeping()];
  const outer = defineTool("outer").describe("Call another").handle((_, ctx) => ctx.call(ping, {}));
  const guarded = defineTool("guarded").describe("Guarded").use(own.seam).handle(() => "guarded");
  const inside = defineTool("inside").describe("Inside").handle(() => "inside");
  const inner = createServer({ tools: [inside], middleware: [part.seam], logger: false });
  const server = createServer({
    tools: [ping, outer, guarded],
    parts: [group("part", inner)],
    middleware: [whole.seam],
    logger: false,
  });
  const { $ } = createClient(memoryTransport(server));
  for (const name of ["outer", "guarded", "part_inside"]) await $.call(name, {});
  deepStrictEqual(whole.seen, ["outer", "ping", "guarded", "part_inside"]);
  deepStrictEqual([part.seen, own.seen], [["part_inside"], ["guarded"]]);
  await server.close(0);
});

test("each run of a job is decided about, so that a policy may change while the work waits", async () => {
  let isAllowed = true;
  const runs: number[] = [];
  const waits = defineTool("waits").describe("Wait").promise({ budgetMs: 1 }).handle(async (_, ctx) => {
    runs.push(ctx.attempt);
    const answer = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ sure: v.boolean() }) });
    return answer.action;
  });
  const decide: Decide = () => (isAllowed ? allow() : deny("Not any more"));
  const server = createServer({ tools: [waits], middleware: [decisions({ decide })], logger: false });
  const client = createClient<typeof server>(memoryTransport(server), {
    onElicitation() {
      isAllowed = false;
      return { action: "accept", content: { sure: true } };
    },
  });
  const job = await client.waits.start({});
  await rejects(async () => await job.result(), { code: "permission_denied", message: "Not any more" });
  strictEqual(runs.length, 1);
  await server.close(0);
});

test("the first policy that does not allow ends the question, and what is no decision allows nothing", async () => {
  const seen: string[] = [];
  const open = (...decide: readonly Decide[]) => {
    const server = createServer({ tools: [ping], middleware: [decisions({ decide })], logger: false });
    return createClient<typeof server>(memoryTransport(server));
  };
  const first = open(() => deny("first", { code: "rate_limited", retryAfterMs: 5 }), () => {
    seen.push("second");
    return allow();
  });
  await rejects(() => first.$.call("ping", {}, {}), { code: "rate_limited", details: { retry_after_ms: 5 } });
  deepStrictEqual(seen, []);
  for (const odd of [undefined, true, {}, { kind: "yes" }, { kind: "allow", cost: -1 }]) {
    await rejects(() => open((() => odd) as unknown as Decide).ping({}), { code: "internal" });
  }
});

test("wrong options are refused by name", () => {
  throws(() => decisions({}), {
    name: "TypeError",
    message: "Cannot decide about calls: pass decide, record, or both",
  });
  throws(() => decisions({ decide: "yes" } as never), /decide has to be a function, or an array of functions|decide/);
  throws(() => charge(-1), { name: "RangeError" });
  throws(() => charge(NaN), { name: "RangeError" });
});
