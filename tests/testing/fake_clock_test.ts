/** `FakeClock`: what runs while a test advances it. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryEngine } from "../../mod.ts";
import { FakeClock, testClient } from "../../src/entries/testing.ts";

const HOUR = 3_600_000;

test("advance() lets code that awaits the clock continue at its time; tick() does not", async () => {
  const times = async (move: (clock: FakeClock) => void | Promise<void>) => {
    const clock = new FakeClock(0);
    const seen: number[] = [];
    const after = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
    void (async () => {
      for (let n = 0; n < 3; n++) seen.push((await after(10), clock.now()));
    })();
    await move(clock);
    await Promise.resolve();
    return [seen, clock.now()];
  };
  deepStrictEqual(await times((clock) => clock.advance(35)), [[10, 20, 30], 35]);
  deepStrictEqual(await times((clock) => clock.tick(35)), [[35], 35]);
  deepStrictEqual(await times((clock) => clock.advance(0)), [[], 0]);
});

test("advance() runs promised work with several sleeps, at the time of each", async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const hours: number[] = [];
  const film = defineTool("film").describe("Render").promise({ ttlMs: 24 * HOUR }).handle(async (_, ctx) => {
    for (const part of [1, 2, 3, 4, 5]) {
      await ctx.sleep(`part ${part}`, HOUR);
      await ctx.step(`done ${part}`, () => hours.push((clock.now() - startMs) / HOUR));
      ctx.progress(part, 5);
    }
    return "film.mp4";
  });
  const server = createServer({
    tools: [film],
    clock,
    engine: memoryEngine({ clock }),
    keys: "k1:a secret of at least thirty-two bytes",
  });
  const work = await testClient(server).film.start();
  await clock.advance(2 * HOUR);
  const status = await work.status();
  strictEqual(status.kind === "promise" && status.progress?.done, 2);
  await clock.advance(3 * HOUR);
  strictEqual(await work.result(), "film.mp4");
  deepStrictEqual(hours, [1, 2, 3, 4, 5]);
  await server.close();
});
