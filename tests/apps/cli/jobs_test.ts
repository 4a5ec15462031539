/** `toolwire jobs`: an operator finds an order, sees what has happened to it, and changes it, over HTTP. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { authenticate } from "../../../src/entries/auth.ts";
import { jobsOf, jobTools } from "../../../src/entries/jobs.ts";
import * as v from "../../../src/entries/schema.ts";
import { serve } from "../../../src/entries/serve.ts";
import { eventually } from "../../eventually.ts";
import { runHere } from "./run_here.ts";

test(
  "an operator finds an order by its number, approves it by key, and sees its steps",
  { timeout: 120_000 },
  async () => {
    const order = defineTool("order").describe("Order").input(v.object({ order: v.number() }))
      .promise({ tags: ["order"] }).handle(async (_, ctx) => {
        await ctx.step("charge", () => "charged");
        const answer = await ctx.waitFor("approval", v.object({ ok: v.boolean() }));
        return answer.action;
      });
    const server = createServer({
      tools: [order, ...jobTools()],
      logger: false,
      auth: authenticate(() => ({ id: "ops", scopes: ["jobs"] })),
    });
    const { url, close } = await serve(server, { port: 0 });
    const jobs = async (...words: readonly string[]) =>
      await runHere({ cwd: tmpdir() }, "jobs", `${url}/mcp`, ...words);
    try {
      const client = createClient<typeof server>(
        memoryTransport(server, { principal: { id: "ops", scopes: ["jobs"] } }),
      );
      const work = await client.order.start({ order: 4711 });
      await client.order.start({ order: 4712 });
      const operators = jobsOf(server);
      const { id } = (await operators.list({ tags: { order: "4711" } })).jobs[0]!;
      await eventually(async () => (await operators.inspect(id)).state === "waiting");
      const listed = await jobs("--tag", "order=4711");
      match(listed.out, new RegExp(`^${id} {2}order {2}waiting {2}\\S+ {2}order=4711\\n$`), listed.errors);
      const shown = await jobs("show", work.token, "--values");
      match(
        shown.out,
        /\n {2}\S+Z {2}created\n {2}\S+Z {2}step charge \d+ ms, run 1 → "charged"\n {2}wait approval.*: open\n/,
        shown.errors,
      );
      const misfit = await jobs("resolve", id, "approval", "--value", '{"ok":1}');
      deepStrictEqual([misfit.code, misfit.out], [5, ""]);
      match(misfit.errors, /does not fit/);
      strictEqual((await jobs("resolve", id, "approval", "--value", '{"ok":true}')).code, 0);
      strictEqual(await work.result(), "accept");
      strictEqual(JSON.parse((await jobs("show", id, "--json")).out).state, "done");
      const others = JSON.parse((await jobs("list", "--state", "waiting", "--json")).out).jobs;
      match((await jobs("cancel", others[0].id)).out, / {2}order {2}cancelled {2}/);
      for (
        const words of [["shew"], ["show"], ["resolve", id], ["--tag", "order"], [
          "resolve",
          id,
          "approval",
          "--value",
          "{",
        ]]
      ) {
        strictEqual((await jobs(...words)).code, 2, words.join(" "));
      }
      strictEqual((await jobs("retry", id)).code, 5);
    } finally {
      await close();
    }
  },
);

test("a server without the tools of an operator is reported with what to add", { timeout: 120_000 }, async () => {
  const { url, close } = await serve(createServer({ tools: [defineTool("t").describe("T").handle(() => 1)] }), {
    port: 0,
  });
  try {
    const { code, errors } = await runHere({ cwd: tmpdir() }, "jobs", `${url}/mcp`);
    strictEqual(code, 5);
    match(errors, /no tool list_jobs.*\n.*jobTools\(\)/);
  } finally {
    await close();
  }
});
