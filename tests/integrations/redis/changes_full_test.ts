/** Notifications of changes through a real Redis. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { after, describe, test } from "node:test";
import { type RedisChangeBus, redisChangeBus } from "../../../src/entries/redis.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { skipReason, startRedis, type TestServer } from "../../jobs/engines/programs.ts";
import { errorLogger } from "../../jobs/engines/fixture.ts";
import { createReplica, eventually, isHeard, PATIENT, withRedis } from "./fixture.ts";
import type { Change } from "../../../src/entries/wire.ts";

const TOOLS: Change = { kind: "list-changed", list: "tools" };

const updated = (uri: string): Change => ({ kind: "resource-updated", uri });

/** A bus, its messages and its errors. */
interface Opened {
  readonly bus: RedisChangeBus;
  readonly heard: Change[];
  readonly errors: unknown[];
  readonly leave: () => void;
}

function open(redis: string, name: string, timeoutMs = 60_000): Opened {
  const errors: unknown[] = [];
  const heard: Change[] = [];
  const bus = redisChangeBus({ redis, name, timeoutMs, logger: errorLogger((error) => errors.push(error)) });
  const leave = bus.subscribe((change) => void heard.push(change));
  return { bus, heard, errors, leave };
}

const uris = ({ heard }: Opened) => heard.flatMap((change) => "uri" in change ? [change.uri] : []);

const hasHeard = ({ heard }: Opened, change: Change) => {
  return eventually(`${JSON.stringify(change)} is heard`, () => {
    return heard.some((one) => JSON.stringify(one) === JSON.stringify(change));
  });
};

describe("redisChangeBus()", { skip: skipReason("redis") }, () => {
  let starting: Promise<TestServer> | undefined;
  const url = async () => (await (starting ??= startRedis())).url;
  after(async () => {
    await (await starting)?.stop();
  });

  /** Runs a test with two buses of the same name, and closes them. */
  async function withTwo(run: (one: Opened, two: Opened, redis: string, channel: string) => Promise<void>) {
    const [redis, name] = [await url(), crypto.randomUUID()];
    const [one, two] = [open(redis, name), open(redis, name)];
    try {
      await run(one, two, redis, `{${name}}:changes`);
    } finally {
      for (const { bus } of [one, two]) bus.close();
    }
  }

  test(
    "redisChangeBus() tells everyone, from the first moment on",
    PATIENT,
    () =>
      withTwo(async (one, two) => {
        const changes = Array.from({ length: 50 }, (_, n) => updated(`docs://${n}`));
        await Promise.all(changes.map((change, n) => (n % 2 ? one : two).bus.publish(change)));
        await two.bus.publish(TOOLS);
        for (const opened of [one, two]) {
          await hasHeard(opened, TOOLS);
          // Messages before the subscription are read from the backlog and may arrive last.
          const heard = () => new Set(opened.heard.map((change) => JSON.stringify(change))).size;
          await eventually("all is heard", () => heard() === changes.length + 1);
          deepStrictEqual(opened.errors, []);
        }
      }),
  );

  test(
    "redisChangeBus() tells those who listen, and listens for them alone",
    PATIENT,
    () =>
      withTwo(async (one, two, redis, channel) => {
        await eventually("it is listened to", () => isHeard(redis, channel));
        const again: Change[] = [];
        const leave = one.bus.subscribe((change) => void again.push(change));
        one.leave();
        one.leave();
        two.leave();
        await two.bus.publish(TOOLS);
        await eventually("it is heard", () => again.length > 0);
        deepStrictEqual([one.heard, two.heard], [[], []]);
        leave();
        await eventually("nobody listens", async () => !await isHeard(redis, channel));
        const back = two.bus.subscribe((change) => void again.push(change));
        await one.bus.publish(updated("docs://late"));
        await eventually("it is heard again", () => again.some(({ kind }) => kind === "resource-updated"));
        back();
      }),
  );

  test(
    "redisChangeBus() tells what was said while its connection was broken",
    PATIENT,
    () =>
      withTwo(async (one, two, redis, channel) => {
        await two.bus.publish(TOOLS);
        for (const opened of [one, two]) await hasHeard(opened, TOOLS);
        await eventually("it is listened to", () => isHeard(redis, channel));
        await withRedis(redis, async (client) => {
          const json = JSON.stringify(updated("docs://missed"));
          await client.multi().call("CLIENT", "KILL", "TYPE", "pubsub").xadd(channel, "*", "change", json).exec();
        });
        for (const opened of [one, two]) await hasHeard(opened, updated("docs://missed"));
        await one.bus.publish(updated("docs://after"));
        for (const opened of [one, two]) await hasHeard(opened, updated("docs://after"));
        const again = one.heard.filter(({ kind }) => kind === "list-changed").length;
        ok(again <= 2, "twice, if it came while the first connection was made; but not with each of them");
      }),
  );

  test(
    "redisChangeBus() passes over what is none, and keeps a thousand for ten minutes",
    PATIENT,
    () =>
      withTwo(async (one, two, redis, channel) => {
        await eventually("it is listened to", () => isHeard(redis, channel));
        const junk = ["", "1-0", "1-0 {", "1-0 null", '1-0 {"kind":"x"}', '1-0 {"kind":"list-changed","list":"x"}'];
        await withRedis(redis, async (client) => {
          for (const text of [...junk, '1-0 {"kind":"resource-updated","uri":5}']) await client.publish(channel, text);
          const fill = client.multi();
          for (let n = 0; n < 1_200; n++) fill.xadd(channel, "*", "nothing", "at all");
          await fill.exec();
        });
        await one.bus.publish(TOOLS);
        await hasHeard(two, TOOLS);
        deepStrictEqual(uris(two), []);
        ok(two.errors.length > 0);
        await withRedis(redis, async (client) => {
          strictEqual(await client.xlen(channel), 1_000);
          const leftMs = await client.pttl(channel);
          ok(leftMs > 0 && leftMs <= 600_000, `${leftMs}`);
          await client.call("CLIENT", "KILL", "TYPE", "pubsub");
        });
        await one.bus.publish(updated("docs://after"));
        await hasHeard(two, updated("docs://after"));
      }),
  );

  test(
    "redisChangeBus() says so where its place in Redis is taken",
    PATIENT,
    () =>
      withTwo(async (one, _, redis, channel) => {
        await withRedis(redis, (client) => client.set(channel, "junk"));
        await rejects(async () => await one.bus.publish(TOOLS), /WRONGTYPE/);
        deepStrictEqual(one.heard, [TOOLS], "here it is told all the same");
      }),
  );

  test("listeners of 2026-07-28 hear of changes at any replica", PATIENT, async () => {
    const [redis, name] = [await url(), crypto.randomUUID()];
    const replicas = [createReplica({ redis, name }), createReplica({ redis, name })] as const;
    const [one, two] = replicas;
    const heard: string[] = [];
    const transports = replicas.map(({ server }, at) => {
      const fetch = (to: string, init: RequestInit) => server.fetch(new Request(to, { ...init, redirect: "follow" }));
      const transport = mcpTransport("http://localhost/mcp", { era: "modern", fetch });
      transport.onChange("tools", () => void heard.push(`tools at ${at}`));
      return transport;
    });
    try {
      for (const [at, { resources }] of transports.entries()) {
        await resources.subscribe("docs://readme", () => void heard.push(`readme at ${at}`));
      }
      one.server.notify.resourceUpdated("docs://readme");
      two.server.notify.listChanged("tools");
      const all = ["readme at 0", "readme at 1", "tools at 0", "tools at 1"];
      await eventually("all is heard", () => all.every((one) => heard.includes(one)));
    } finally {
      for (const transport of transports) transport.close();
      for (const replica of replicas) await replica.close();
    }
  });

  test("redisChangeBus() notifies this process without Redis, and the others once Redis is back", PATIENT, async () => {
    const server = await startRedis();
    const name = crypto.randomUUID();
    const [one, two] = [open(server.url, name, 1_000), open(server.url, name, 1_000)];
    try {
      await one.bus.publish(TOOLS);
      for (const opened of [one, two]) await hasHeard(opened, TOOLS);
      await server.crash();
      await one.bus.publish(updated("docs://meanwhile"));
      deepStrictEqual([uris(one), uris(two)], [["docs://meanwhile"], []]);
      ok(one.errors.length > 0, "somebody is told");
      await server.restart();
      await hasHeard(two, updated("docs://meanwhile"));
      await two.bus.publish(updated("docs://after"));
      await hasHeard(one, updated("docs://after"));
    } finally {
      for (const { bus } of [one, two]) bus.close();
      await server.stop();
    }
  });
});

test("redisChangeBus() keeps so much for later where there is no Redis, and no more", PATIENT, async () => {
  const { bus, heard, errors } = open("redis://127.0.0.1:1", "none", 100);
  const changes = Array.from({ length: 1_000 }, (_, n) => updated(`docs://${n}`));
  await Promise.all([...changes, ...changes].map((change) => bus.publish(change)));
  await rejects(async () => await bus.publish(TOOLS));
  strictEqual(heard.length, 2_001);
  strictEqual(errors.length, 1);
  bus.close();
  await rejects(async () => await bus.publish(TOOLS));
});
