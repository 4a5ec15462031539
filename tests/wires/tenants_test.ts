/**
 * Callers of two tenants who have the same id, over every wire: neither redeems, continues, joins or sees what is the other's. A caller
 * without a tenant is a third one.
 */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { type Client, createClient, createServer, defineTool, type Principal } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { cache, rateLimit } from "../../src/entries/middleware.ts";
import { carries, skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

const ADAS: Readonly<Record<string, Principal>> = {
  north: { id: "ada", tenant: "north" },
  south: { id: "ada", tenant: "south" },
  ofNone: { id: "ada" },
};
const NAMES = Object.keys(ADAS);

function createWorld() {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal?.tenant ?? null);
  const report = defineTool("report").describe("Report, later").promise({ budgetMs: 1 }).handle(
    async (_, { principal }) => {
      await gate.promise;
      return `for ${principal?.tenant}`;
    },
  );
  const remove = defineTool("remove").describe("Remove").handle(async (_, ctx) => {
    const answer = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ sure: v.boolean() }) });
    return answer.action === "accept" && answer.content.sure ? `removed for ${ctx.principal?.tenant}` : "kept";
  });
  const count = defineTool("count").describe("Count runs").handle(() => ++runs);
  const cached = defineTool("cached").describe("Read").annotate({ readOnlyHint: true }).use(cache({ ttlMs: 600_000 }))
    .handle((_, { principal }) => `read for ${principal?.tenant}`);
  const limited = defineTool("limited").describe("Read seldom").use(rateLimit({ perSecond: 0.000_001, burst: 1 }))
    .handle(() => "read");
  const server = createServer({
    logger: false,
    tools: [whoami, report, remove, count, cached, limited],
    wires,
    keys: "k1:a secret that is known to these tests alone",
    auth: bearer((token) => ADAS[token]),
  });
  return { server, gate };
}

type World = ReturnType<typeof createWorld>;

interface Stage extends World {
  /** A client of one of the callers. */
  as(name: string): Client<World["server"]>;
}

const SCENARIOS: Readonly<Record<string, (stage: Stage, wire: WireRow) => Promise<void>>> = {
  async "handlers see the tenant"({ as }) {
    for (const name of NAMES) deepStrictEqual([name, await as(name).whoami({})], [name, ADAS[name]?.tenant ?? null]);
  },

  async "a promise is redeemed and cancelled by its tenant"({ as, gate }, wire) {
    if (!carries(wire, "promises")) return;
    for (const owner of NAMES) {
      const { token } = await as(owner).report.start({});
      for (const other of NAMES.filter((name) => name !== owner)) {
        const { $ } = as(other);
        await rejects(
          () => $.redeem(token).status(),
          { code: "invalid_promise" },
          `${other} redeems what is of ${owner}`,
        );
        await rejects(
          () => $.redeem(token).cancel(),
          { code: "invalid_promise" },
          `${other} cancels what is of ${owner}`,
        );
      }
      gate.resolve();
      strictEqual(await as(owner).$.redeem(token).result(), `for ${ADAS[owner]?.tenant}`);
    }
  },

  async "a question is answered by its tenant"({ as }, wire) {
    if (!carries(wire, "questions")) return;
    for (const owner of NAMES) {
      const asked = await as(owner).remove.outcome({});
      if (asked.kind !== "elicitation") throw new Error(`Not a question: ${asked.kind}`);
      const { continuation } = asked;
      const responses = { sure: { action: "accept", content: { sure: true } } } as const;
      for (const other of NAMES.filter((name) => name !== owner)) {
        const answered = as(other).remove.outcome({}, { meta: { continuation, responses } });
        await rejects(() => answered, { code: "invalid_continuation" }, `${other} answers what ${owner} was asked`);
      }
      const done = await as(owner).remove.outcome({}, { meta: { continuation, responses } });
      deepStrictEqual(done.kind === "answer" && done.value, `removed for ${ADAS[owner]?.tenant}`);
    }
  },

  async "an idempotency key is of its tenant"({ as }, wire) {
    if (!carries(wire, "_meta")) return;
    const counted = new Set<unknown>();
    for (const name of NAMES) {
      const first = await as(name).count({}, { idempotencyKey: "key-1" });
      strictEqual(await as(name).count({}, { idempotencyKey: "key-1" }), first);
      counted.add(first);
    }
    strictEqual(counted.size, NAMES.length);
  },

  async "a cached answer is of its tenant"({ as }) {
    for (const name of NAMES) strictEqual(await as(name).cached({}), `read for ${ADAS[name]?.tenant}`);
  },

  async "a rate limit is of its tenant"({ as }) {
    for (const name of NAMES) strictEqual(await as(name).limited({}), "read", name);
    for (const name of NAMES) await rejects(async () => await as(name).limited({}), { code: "rate_limited" }, name);
  },
};

async function run(wire: WireRow, scenario: (stage: Stage, wire: WireRow) => Promise<void>): Promise<void> {
  const world = createWorld();
  const opened = await Promise.all(NAMES.map((token) => {
    return wire.open(world.server, {
      headers: { authorization: `Bearer ${token}` },
      principal: ADAS[token] as Principal,
    });
  }));
  const clients = new Map(opened.map(({ transport }, at) => {
    return [NAMES[at], createClient<typeof world.server>(transport, { retry: { attempts: 0 } })];
  }));
  const as = (name: string) => clients.get(name) as Client<World["server"]>;
  try {
    await scenario({ ...world, as }, wire);
  } finally {
    world.gate.resolve();
    for (const { transport, close } of opened) {
      transport.close?.();
      await close();
    }
    await world.server.close(0);
  }
}

for (const wire of WIRES) {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    test(`${wire.name}: ${name}`, { skip: skipOf(wire, ["callers who show who they are"]) }, () => run(wire, scenario));
  }
}
