/** A decision before each run and a record after it, over every wire: once each, with what the policy and the record have to see. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { type Client, createClient, createServer, defineTool, Failure, type Principal, ToolError } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { allow, ask, type CallRecord, charge, type DecidedCall, decisions, deny } from "../../src/entries/decisions.ts";
import { carries, skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

const ADA: Principal = { id: "ada", tenant: "north" };

function createWorld() {
  const decided: DecidedCall[] = [];
  const records: CallRecord[] = [];
  const ran: string[] = [];
  const gate = Promise.withResolvers<void>();
  const add = defineTool("add").describe("Add").revision("2").input(
    v.object({ a: v.number(), b: v.optional(v.number(), 1) }),
  )
    .handle(({ a, b }) => {
      ran.push("add");
      return a + b;
    });
  const removed = defineTool("remove").describe("Remove").input(v.object({ id: v.string() })).handle(({ id }) => {
    ran.push(`remove ${id}`);
    return "removed";
  });
  const fails = defineTool("fails").describe("Fail").handle(() => {
    throw new Failure("sold_out", "Nothing is left");
  });
  const broken = defineTool("broken").describe("Has a policy that breaks").handle(() => void ran.push("broken"));
  const late = defineTool("late").describe("Has a policy with an error").handle(() => void ran.push("late"));
  const report = defineTool("report").describe("Report").promise({ budgetMs: 1 }).handle(async () => {
    await gate.promise;
    return "report";
  });
  const decide = (call: DecidedCall) => {
    decided.push(call);
    if (call.tool === "broken") throw new Error("the policy of SECRET breaks");
    if (call.tool === "late") throw new ToolError("rate_limited", "Not before noon", { retryAfterMs: 1_000 });
    if (call.tool === "add") return charge(3);
    if (call.tool !== "remove") return allow();
    const { id } = call.args as { readonly id: string };
    return id === "asked" ? ask("Remove it?") : deny(`${call.principal?.tenant} removes nothing`);
  };
  const server = createServer({
    logger: false,
    tools: [add, removed, fails, broken, late, report],
    wires,
    keys: "k1:a secret that is known to these tests alone",
    auth: bearer((token) => token === "ada" ? ADA : undefined),
    middleware: [decisions({ decide: [decide, () => charge(2)], record: (record) => void records.push(record) })],
  });
  return { server, decided, records, ran, gate };
}

type World = ReturnType<typeof createWorld>;

interface Stage extends World {
  readonly client: Client<World["server"]>;
}

/** What the record has of the last run, without times and ids. */
function lastOf({ records }: World): Partial<CallRecord> {
  const { atMs: _, tookMs: __, callId: ___, args, wire: ____, ...others } = records.at(-1) as CallRecord;
  match(args, /^[\da-f]{64}$/);
  return others;
}

const SCENARIOS: Readonly<Record<string, (stage: Stage, wire: WireRow) => Promise<void>>> = {
  async "a policy sees validated arguments, and the record has the cost"(stage) {
    strictEqual(await stage.client.add({ a: 2 }), 3);
    const [{ tool, revision, args, principal, attempt } = {} as DecidedCall, ...more] = stage.decided;
    deepStrictEqual([tool, revision, args, principal?.tenant, attempt, more.length], [
      "add",
      "2",
      { a: 2, b: 1 },
      "north",
      1,
      0,
    ]);
    const who = { principal: "ada", tenant: "north" };
    deepStrictEqual(lastOf(stage), {
      ...{ ...who, tool: "add", revision: "2", attempt: 1, decision: "allow", cost: 5, outcome: "answer" },
    });
    strictEqual(stage.records.length, 1);
  },

  async "a denied call does not run, and its caller gets the reason"(stage) {
    await rejects(() => stage.client.remove({ id: "x" }), {
      code: "permission_denied",
      message: "north removes nothing",
    });
    deepStrictEqual(stage.ran, []);
    const { decision, outcome, code, cost } = lastOf(stage);
    deepStrictEqual([decision, outcome, code, cost], ["deny", "error", "permission_denied", undefined]);
  },

  async "a policy that breaks denies, without its message"(stage) {
    await rejects(() => stage.client.broken({}), (error: ToolError) => {
      return error.code === "internal" && !JSON.stringify([error.message, error.details]).includes("SECRET");
    });
    await rejects(() => stage.client.late({}), { code: "rate_limited" });
    deepStrictEqual(stage.ran, []);
    deepStrictEqual(stage.records.map(({ decision, code }) => [decision, code]), [["deny", "internal"], [
      "deny",
      "rate_limited",
    ]]);
  },

  async "arguments that do not fit are recorded, and no policy sees them"(stage, wire) {
    if (!carries(wire, "arguments that the server alone checks")) return;
    await rejects(() => stage.client.$.call("add", { a: "two" }), { code: "invalid_input" });
    deepStrictEqual(stage.decided, []);
    for (const { decision, code } of stage.records) deepStrictEqual([decision, code], ["none", "invalid_input"]);
  },

  async "a failure is recorded with its code"(stage) {
    strictEqual((await stage.client.$.outcome("fails", {})).kind, "failure");
    const { decision, outcome, code } = lastOf(stage);
    deepStrictEqual([decision, outcome, code], ["allow", "failure", "sold_out"]);
  },

  async "a caller who is asked confirms or declines"(stage, wire) {
    if (!carries(wire, "questions")) return;
    const { client, ran } = stage;
    const asked = await client.remove.outcome({ id: "asked" });
    if (asked.kind !== "elicitation") throw new Error(`Not a question: ${asked.kind}`);
    deepStrictEqual(ran, []);
    const { continuation, requests } = asked;
    const [key = ""] = Object.keys(requests);
    const answer = (confirmed: boolean) => ({ [key]: { action: "accept", content: { confirmed } } });
    deepStrictEqual(stage.records, []);
    const declined = client.remove.outcome({ id: "asked" }, { meta: { continuation, responses: answer(false) } });
    await rejects(() => declined, { code: "permission_denied" });
    deepStrictEqual([ran, lastOf(stage).decision, lastOf(stage).code], [[], "ask", "permission_denied"]);
    const again = await client.remove.outcome({ id: "asked" });
    if (again.kind !== "elicitation") throw new Error(`Not a question: ${again.kind}`);
    const meta = { continuation: again.continuation, responses: answer(true) };
    strictEqual((await client.remove.outcome({ id: "asked" }, { meta })).kind, "answer");
    deepStrictEqual([ran, lastOf(stage).decision, lastOf(stage).outcome, lastOf(stage).cost], [
      ["remove asked"],
      "ask",
      "answer",
      2,
    ]);
  },

  async "a run of a job is decided about and recorded, with its end"(stage, wire) {
    if (!carries(wire, "promises")) return;
    const { token } = await stage.client.report.start({});
    stage.gate.resolve();
    strictEqual(await stage.client.$.redeem(token).result(), "report");
    deepStrictEqual(stage.records.map(({ tool, outcome }) => [tool, outcome]), [["report", "answer"]]);
    strictEqual(stage.decided.length, 1);
  },
};

async function run(wire: WireRow, scenario: (stage: Stage, wire: WireRow) => Promise<void>): Promise<void> {
  const world = createWorld();
  const { transport, close } = await wire.open(world.server, {
    headers: { authorization: "Bearer ada" },
    principal: ADA,
  });
  try {
    await scenario(
      { ...world, client: createClient<typeof world.server>(transport, { retry: { attempts: 0 } }) },
      wire,
    );
  } finally {
    world.gate.resolve();
    transport.close?.();
    await close();
    await world.server.close(0);
  }
}

for (const wire of WIRES) {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    test(`${wire.name}: ${name}`, { skip: skipOf(wire, ["callers who show who they are"]) }, () => run(wire, scenario));
  }
}

test("a record that cannot be taken is logged, and changes no answer", async () => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const server = createServer({
    tools: [ping],
    logger: { debug: log, info: log, warn: log, error: log },
    middleware: [decisions({ record: [() => Promise.reject(new Error("the disk is full")), () => {}] })],
  });
  const { memoryTransport } = await import("../../mod.ts");
  strictEqual(await createClient<typeof server>(memoryTransport(server)).ping({}), "pong");
  ok(lines.some((line) => line === "The record of a call could not be taken, and is missing"), lines.join("\n"));
  await server.close(0);
});
