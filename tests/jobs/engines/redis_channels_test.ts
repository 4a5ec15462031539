import { strictEqual } from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { Redis } from "ioredis";
import { RedisChannels } from "../../../src/jobs/engines/redis/channels.ts";

/** Counts the intervals that are set while `work` runs. */
async function countIntervals(work: () => Promise<void>): Promise<number> {
  const { setInterval } = globalThis;
  let count = 0;
  globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
    count++;
    const timer = setInterval(...args);
    clearInterval(timer);
    return timer;
  }) as typeof setInterval;
  try {
    await work();
  } finally {
    globalThis.setInterval = setInterval;
  }
  return count;
}

for (const isClosed of [false, true]) {
  const name = isClosed ? "after close() sets no timer, which would keep the process alive" : "is pinged";
  test(`a connection of channels that becomes ready ${name}`, async () => {
    const client = Object.assign(new EventEmitter(), { status: "connect", subscribe: () => Promise.resolve(1) });
    const channels = new RedisChannels(() => Promise.resolve(client as unknown as Redis), () => {});
    channels.subscribe("changes", { onMessage() {}, onSubscribe() {} });
    await new Promise((resolve) => setTimeout(resolve));
    const intervals = await countIntervals(() => {
      if (isClosed) channels.close();
      client.status = "ready";
      client.emit("ready");
      return Promise.resolve();
    });
    strictEqual(intervals, isClosed ? 0 : 1);
    channels.close();
  });
}
