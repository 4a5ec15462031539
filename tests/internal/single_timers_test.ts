/** Timers of one owner: what they call fails, then the clean-up after it, too. No timer stays, and the next use works. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type Logger, memoryEngine } from "../../mod.ts";
import { Throttle } from "../../src/internal/throttle.ts";
import { timeout } from "../../src/entries/middleware.ts";
import { MissingWorkerWarning } from "../../src/jobs/promises/missing_worker_warning.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { PendingRequests } from "../../src/wires/mcp/server/legacy_exchange.ts";

/** A clock that counts the timers that are set. */
class CountingClock extends FakeClock {
  timers = 0;

  override after(delayMs: number, callback: () => void): () => void {
    this.timers++;
    let isSet = true;
    const end = (): void => {
      if (isSet) this.timers--;
      isSet = false;
    };
    const cancel = super.after(delayMs, () => {
      end();
      callback();
    });
    return () => {
      end();
      cancel();
    };
  }
}

const fail = (message: string) => (): never => {
  throw new Error(message);
};

test("Throttle: a run that throws at once, and again in its timer, holds back no later run", () => {
  const clock = new CountingClock(0);
  let runs = 0;
  let isBroken = true;
  const throttle = new Throttle(
    () => {
      runs++;
      if (isBroken) fail("broken")();
    },
    1,
    clock,
  );
  throws(() => throttle.request(), /broken/);
  throttle.request();
  strictEqual(clock.timers, 1);
  throws(() => clock.tick(1_000), /broken/);
  strictEqual(clock.timers, 0);
  isBroken = false;
  throttle.request();
  clock.tick(1_000);
  deepStrictEqual([runs, clock.timers], [3, 0]);
  throttle.stop();
});

const QUESTION = { method: "elicitation/create", params: {} };

for (
  const [name, send] of [
    ["throws", fail("not sent")],
    ["rejects", () => Promise.reject(new Error("not sent"))],
  ] as const
) {
  test(`PendingRequests: a question whose sending ${name} ends with that error, and leaves neither timer nor id`, async () => {
    const clock = new CountingClock(0);
    const pending = new PendingRequests(clock, 60_000);
    const closed = new AbortController();
    const asked = pending.request(QUESTION, send, closed.signal, undefined);
    await rejects(asked, /not sent/);
    strictEqual(clock.timers, 0);
    // The clean-up after it finds nothing to end.
    closed.abort();
    pending.close();
    clock.tick(60_000);
    strictEqual(clock.timers, 0);
  });
}

test("PendingRequests: a question of a client that is closed already is neither sent nor waited for", async () => {
  const clock = new CountingClock(0);
  const pending = new PendingRequests(clock, 60_000);
  const sent: string[] = [];
  const asked = pending.request(QUESTION, (json) => void sent.push(json), AbortSignal.abort(), undefined);
  strictEqual(await asked, undefined);
  deepStrictEqual([sent, clock.timers], [[], 0]);
});

test("MissingWorkerWarning: a logger that throws ends nothing, and the timer that was cancelled warns no more", () => {
  const clock = new CountingClock(0);
  const logger: Logger = { debug() {}, info() {}, warn: fail("no disk"), error: fail("no disk") };
  const warning = new MissingWorkerWarning({ logger, clock }, () => true);
  warning.start();
  clock.tick(10_000);
  strictEqual(clock.timers, 0);
  warning.cancel();
  const broken = new MissingWorkerWarning({ logger, clock }, fail("not known"));
  broken.start();
  broken.cancel();
  clock.tick(10_000);
  strictEqual(clock.timers, 0);
});

test("timeout(): a handler that throws when it is ended, and again in its clean-up, ends its call once", async () => {
  const clock = new CountingClock(0);
  const begun = Promise.withResolvers<void>();
  const hang = defineTool("hang").describe("Hang").handle(async (_, ctx) => {
    try {
      begun.resolve();
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("ended"))));
    } finally {
      fail("the clean-up breaks")();
    }
  });
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const server = createServer({
    tools: [hang, ping],
    middleware: [timeout(1_000)],
    engine: memoryEngine({ clock }),
    clock,
    logger: false,
  });
  const client = createClient<typeof server>(server, { retry: { attempts: 0 } });
  const call = client.hang().catch(({ code }: { readonly code: unknown }) => code);
  await begun.promise;
  clock.tick(1_000);
  strictEqual(await call, "deadline_exceeded");
  strictEqual(await client.ping(), "pong");
  await server.close(0);
});
