/** Functions of a tool that fail after another one has: the caller of each gets an error of the contract, and the next call is answered. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type ExternalWork } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { runtime } from "../../runtime/runtime.ts";
import { createFaulty, type Fault, FIRST, type MethodsOf, SECOND } from "./faulty.ts";
import { Observation } from "./observation.ts";

type Work = Pick<ExternalWork<unknown, { readonly id: number }, string, never, unknown>, "start" | "check" | "cancel">;

const METHODS: readonly MethodsOf<Work>[] = ["start", "check", "cancel"];
const FAULTS: readonly Fault[] = ["throws", "rejects"];
const skip = runtime === "workerd" && "a request's timers are not another request's";

const codeOf = (work: Promise<unknown>): Promise<unknown> => work.then((value) => value, ({ code }) => code);

for (const method of METHODS) {
  for (const fault of FAULTS) {
    test(`ExternalWork: ${method}() ${fault}, and then cancel() fails`, { skip }, async () => {
      const seen = new Observation();
      const faulty = createFaulty<Work>(
        { start: () => ({ id: 1 }), check: (_, ctx) => ctx.pending({ retryAfterMs: 1_000 }), cancel: () => true },
        method,
        ["cancel"],
        fault,
      );
      await seen.during(async () => {
        const render = defineTool("render").describe("Render").input({ type: "object" }).external(
          faulty.plugIn as never,
        );
        const server = createServer({ tools: [render], logger: seen.logger, clock: seen.clock });
        const client = testClient(server);
        const codes: unknown[] = [];
        faulty.arm(1);
        const job = await client["render"]!.start({}).catch((error: unknown) =>
          void codes.push((error as { code: unknown }).code)
        );
        if (job) codes.push(await codeOf(job.status()), await codeOf(job.cancel()));
        ok(faulty.hasFailed);
        ok(codes.includes("internal"), JSON.stringify(codes));
        strictEqual(seen.reported[0], FIRST);
        if (faulty.hasFailedAgain) ok(seen.reported.includes(SECOND));
        faulty.arm(0);
        const next = await client["render"]!.start({});
        deepStrictEqual(await codeOf(next.cancel()), true);
        await seen.bounded("close()", () => server.close(0));
      });
    });
  }
}

test("HasJson: toJSON() of an answer and of the details of its error throw", { skip }, async () => {
  const seen = new Observation();
  const broken = (message: string): object => ({
    toJSON() {
      throw new Error(message);
    },
  });
  await seen.during(async () => {
    const server = createServer({
      tools: [
        defineTool("answer").describe("Answer").handle(() => broken(FIRST) as never),
        defineTool("throw").describe("Throw").handle(() => {
          throw Object.assign(new Error(FIRST), { details: broken(SECOND) });
        }),
        defineTool("ping").describe("Answer").handle(() => "pong"),
      ],
      logger: seen.logger,
      clock: seen.clock,
    });
    const client = testClient(server);
    for (const name of ["answer", "throw"] as const) {
      strictEqual(await codeOf(client[name]()), "internal");
      strictEqual(seen.reported[0], FIRST);
      strictEqual(await client.ping(), "pong");
    }
    await seen.bounded("close()", () => server.close(0));
  });
});
