/** Programs on a server with an engine: they ask, sleep and wait for promises, and begin again with what they have done. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defineTool, ToolError } from "../../../mod.ts";
import { codeMode, type Executor, type ProgramAnswer } from "../../../src/entries/code.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { eventually } from "../../eventually.ts";
import { inline, threads } from "./executors.ts";
import { QUIET, serverOf } from "./fixture.ts";

const ANY = jsonSchema<Record<string, unknown>>({ type: "object" });

/** Tools that count their calls, and one that asks. */
function countingTools() {
  const counts: Record<string, number> = {};
  const count = (name: string) => counts[name] = (counts[name] ?? 0) + 1;
  const add = defineTool("add").describe("Add").input(jsonSchema<{ a: number; b: number }>({ type: "object" }))
    .handle(({ a, b }) => {
      count("add");
      return a + b;
    });
  const ask = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    count("ask");
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: jsonSchema<object>({ type: "object" }) });
    count("asked");
    return action;
  });
  const remove = defineTool("remove").describe("Remove").annotate({ destructiveHint: true }).handle(() => {
    count("remove");
    return "removed";
  });
  return { counts, tools: [add, ask, remove] };
}

const SOURCE = `
  const a = await tools.add({ a: 1, b: 2 });
  const [b, c] = await Promise.all([tools.add({ a, b: 10 }), tools.add({ a, b: 20 })]);
  const before = [Date.now(), Math.random()];
  const sure = await tools.ask();
  const d = await tools.add({ a: b, b: c });
  return { d, sure, isSame: before[1] !== Math.random() };
`;

test("a question in a program is asked of its caller, and no call before it is made again", async () => {
  const { counts, tools } = countingTools();
  const server = serverOf(tools);
  const asked: unknown[] = [];
  const client = testClient(server, {
    onElicitation: (question) => {
      asked.push("message" in question ? question.message : question);
      return { action: "accept", content: {} };
    },
  });
  const { value } = await client.$.call("run_code", { source: SOURCE }) as ProgramAnswer;
  deepStrictEqual(value, { d: 36, sure: "accept", isSame: true });
  deepStrictEqual(asked, ["Sure?"]);
  deepStrictEqual(counts, { add: 4, ask: 2, asked: 1 });
  await server.close();
});

test("a destructive call asks for an approval in the middle of a program, and a declined one can be caught", async () => {
  const { counts, tools } = countingTools();
  const server = serverOf(tools);
  for (const action of ["accept", "decline"] as const) {
    const asked: string[] = [];
    const client = testClient(server, {
      onElicitation: (question) => {
        if ("message" in question) asked.push(String(question.message));
        return action === "accept" ? { action, content: {} } : { action };
      },
    });
    const source = `
      await tools.add({ a: 1, b: 1 });
      try { return await tools.remove({ id: 7 }); } catch (error) { return error.code; }
    `;
    const { value } = await client.$.call("run_code", { source }) as ProgramAnswer;
    strictEqual(value, action === "accept" ? "removed" : "declined");
    deepStrictEqual(asked, ['A program calls remove with {"id":7}. May it?']);
  }
  deepStrictEqual(counts, { add: 2, remove: 1 });
  await server.close();
});

test("asks is the application's, and false asks for nothing", async () => {
  const { tools } = countingTools();
  const server = serverOf(tools, { asks: ({ name }) => name === "add" });
  const client = testClient(server, { onElicitation: () => ({ action: "decline" }) });
  const source = `return [await tools.remove(), await tools.add({ a: 1, b: 1 }).catch(({ code }) => code)]`;
  deepStrictEqual((await client.$.call("run_code", { source }) as ProgramAnswer).value, ["removed", "declined"]);
  await server.close();
});

test("without an engine a program runs, and what it cannot do is an error", async () => {
  const { createServer: createCoreServer, mcpLite } = await import("../../../src/entries/core.ts");
  const { counts, tools } = countingTools();
  const server = createCoreServer({
    tools,
    wires: [mcpLite()],
    logger: QUIET,
    discovery: codeMode({ executor: inline }),
  });
  const client = testClient(server);
  const source = `
    const sum = await tools.add({ a: 1, b: 2 });
    await sleep(1);
    return [sum, await tools.remove().catch(({ code, message }) => [code, message])];
  `;
  const { value } = await client.$.call("run_code", { source }) as ProgramAnswer;
  const message =
    "A call of remove asks its caller, which programs can do on a server with an engine: pass createServer({ engine })";
  deepStrictEqual(value, [3, ["needs_engine", message]]);
  deepStrictEqual(counts, { add: 1 });
  await server.close();
});

test("a program that sleeps is promised, and continues at its time with what it has done", async () => {
  const { counts, tools } = countingTools();
  let runs = 0;
  const counting: Executor = { name: "counting", create: (program) => (runs++, inline.create(program)) };
  const server = serverOf(tools, { executor: counting });
  const source = `
    const began = Date.now();
    const a = await tools.add({ a: 1, b: 2 });
    await sleep(1_200);
    return { sum: await tools.add({ a, b: 4 }), slept: Date.now() - began };
  `;
  const { value } = await testClient(server).$.call("run_code", { source }) as ProgramAnswer;
  deepStrictEqual(value, { sum: 7, slept: 1_200 });
  deepStrictEqual([counts, runs], [{ add: 2 }, 2]);
  await server.close();
});

test("a promised tool is awaited, and is called once", async () => {
  let runs = 0;
  const gate = Promise.withResolvers<string>();
  const slow = defineTool("slow").describe("Slow").promise({ budgetMs: 1 }).handle(async () => {
    runs++;
    return await gate.promise;
  });
  const promised = Promise.withResolvers<void>();
  const server = serverOf([slow], {}, {
    middleware: [async (ctx, next) => {
      const result = await next();
      if (ctx.tool.name === "slow" && result.kind === "promise") promised.resolve();
      return result;
    }],
  });
  const call = testClient(server).$.call("run_code", { source: `return (await tools.slow()) + "!"` });
  await promised.promise;
  gate.resolve("done");
  strictEqual((await call as ProgramAnswer).value, "done!");
  strictEqual(runs, 1);
  await server.close();
});

test("an error that may pass is the same for a program that begins again", async () => {
  let tries = 0;
  const away = defineTool("away").describe("Away at first").handle(() => {
    if (++tries === 1) throw new ToolError("unavailable", "Away", { details: { where: "lunch" } });
    return "back";
  });
  const { tools } = countingTools();
  const server = serverOf([...tools, away]);
  const client = testClient(server, { onElicitation: () => ({ action: "accept", content: {} }) });
  const source = `
    const one = await tools.away().catch(({ code, message, data }) => [code, message, data]);
    const none = await tools.nothing().catch(({ code }) => code);
    const sure = await tools.ask();
    return [one, none, sure, await tools.away()];
  `;
  const { value } = await client.$.call("run_code", { source }) as ProgramAnswer;
  deepStrictEqual(value, [["unavailable", "Away", { where: "lunch" }], "tool_not_found", "accept", "back"]);
  strictEqual(tries, 2);
  await server.close();
});

/** An executor that runs other programs from the second run on, as a newer server might. */
function changing(sources: readonly string[]): Executor {
  let runs = 0;
  return {
    name: "changing",
    create: (program) => inline.create({ ...program, source: sources[Math.min(runs++, sources.length - 1)]! }),
  };
}

const CHANGES = {
  "another argument": `await tools.add({ a: 1, b: 3 }); return await tools.ask();`,
  "another tool": `await tools.remove(); return await tools.ask();`,
  "a call that is left out": `return await tools.ask();`,
  "no call at all": `return await new Promise(() => {});`,
};

for (const [name, changed] of Object.entries(CHANGES)) {
  test(`a program that has changed is replay_diverged, and its job waits for the one that fits: ${name}`, async () => {
    const { counts, tools } = countingTools();
    const source = `await tools.add({ a: 1, b: 2 }); return await tools.ask();`;
    const codes: unknown[] = [];
    const note = (_: string, fields?: Readonly<Record<string, unknown>>) => void codes.push(fields?.["code"]);
    const logger = { ...QUIET, warn: note, error: note };
    const server = serverOf(tools, { executor: changing([source, changed]), asks: () => false }, { logger });
    const leaving = new AbortController();
    const client = testClient(server, { onElicitation: () => ({ action: "accept", content: {} }) });
    const call = client.$.call("run_code", { source }, { signal: leaving.signal });
    call.catch(() => {});
    await eventually(() => codes.length > 0, "the job is blocked");
    deepStrictEqual(codes, ["replay_diverged"]);
    deepStrictEqual(counts, { add: 1, ask: 1 });
    leaving.abort();
    await rejects(call);
    await server.close(0);
  });
}

test("chains of calls end in any order, and a program that begins again sees the same order", async () => {
  const chains = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(chains, fc.infiniteStream(fc.nat(1_000)), fc.boolean(), async (lengths, choices, isFailing) => {
      const waiting: (() => void)[] = [];
      const step = defineTool("step").describe("A step").input(ANY).handle(async ({ at }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (isFailing && Number(at) % 2 === 1) throw new ToolError("unavailable", "Away");
        return at;
      });
      const seen: unknown[] = [];
      const note = defineTool("note").describe("Note").input(ANY).handle(async ({ order }, ctx) => {
        seen.push(order);
        await ctx.elicit("sure", { message: "Sure?", schema: jsonSchema<object>({ type: "object" }) });
        return order;
      });
      const server = serverOf([step, note], { limits: { inFlight: 3 }, executor: threads });
      const client = testClient(server, { onElicitation: () => ({ action: "accept", content: {} }) });
      const source = `
        const order = [];
        await Promise.all(${JSON.stringify(lengths)}.map(async (length, chain) => {
          for (let at = 0; at < length; at++) {
            await tools.step({ chain, at }).catch(() => {});
            order.push(chain + "." + at);
          }
        }));
        return await tools.note({ order });
      `;
      let isOver = false;
      const call = client.$.call("run_code", { source }).finally(() => isOver = true);
      call.catch(() => {});
      await eventually(() => {
        const { value = 0 } = choices.next();
        if (waiting.length > 0) waiting.splice(value % waiting.length, 1)[0]?.();
        return isOver;
      }, "the program is over");
      const { value } = await call as ProgramAnswer;
      ok(seen.length === 2, `${seen.length}`);
      deepStrictEqual(seen[1], seen[0]);
      deepStrictEqual(value, seen[0]);
      await server.close();
    }),
    { numRuns: 30 },
  );
});
