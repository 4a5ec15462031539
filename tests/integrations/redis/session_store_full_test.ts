/** Records and notifications of `redisSessionStore()` in a real Redis, for two replicas. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  type RedisSessionStore,
  redisSessionStore,
  type RedisSessionStoreOptions,
} from "../../../src/entries/redis.ts";
import type { SessionEvent } from "../../../src/entries/mcp.ts";
import { skipReason, startRedis, type TestServer } from "../../jobs/engines/programs.ts";
import { errorLogger } from "../../jobs/engines/fixture.ts";
import { eventually, isHeard, newSession, PATIENT, withRedis } from "./fixture.ts";

/** Blocks Redis for a while. Commands are executed afterwards. */
function pauseRedis(url: string, durationMs: number): Promise<unknown> {
  return withRedis(url, (client) => client.call("CLIENT", "PAUSE", `${durationMs}`, "ALL"));
}

/** Whether a promise settles in time. */
async function isDone(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

describe("redisSessionStore()", { skip: skipReason("redis") }, () => {
  let starting: Promise<TestServer> | undefined;
  const url = async () => (await (starting ??= startRedis())).url;
  after(async () => {
    await (await starting)?.stop();
  });
  const opened: RedisSessionStore[] = [];
  after(() => opened.forEach((store) => store.close()));

  /** Opens two stores of the same name; with their errors and the prefix of their keys. */
  async function openTwo(options: Partial<RedisSessionStoreOptions> = {}) {
    const name = crypto.randomUUID();
    const errors: unknown[] = [];
    const redis = await url();
    const open = () => {
      const all = { redis, name, timeoutMs: 60_000, logger: errorLogger((error) => errors.push(error)), ...options };
      const store = redisSessionStore(all);
      opened.push(store);
      return store;
    };
    return { one: open(), two: open(), errors, redis, prefix: `{${name}}:mcp:` };
  }

  /** Subscribes to a session and collects its notes. */
  async function hear(store: RedisSessionStore, redis: string, id: string) {
    const heard: SessionEvent[] = [];
    const leave = store.subscribe(id, (note) => void heard.push(note));
    await eventually("it is listened to", () => isHeard(redis, `*${id}`));
    return { heard, leave };
  }

  test("redisSessionStore() keeps sessions for all, until they are deleted", PATIENT, async () => {
    const { one, two } = await openTwo();
    const session = newSession({ capabilities: { "2": {}, "1": { text: "„…“\u2028" } } });
    strictEqual(await two.get(session.id), undefined);
    strictEqual(await one.put(session), true);
    deepStrictEqual(await two.get(session.id), session);
    await two.delete(session.id);
    strictEqual(await one.get(session.id), undefined);
    await one.append(session.id, "s", "1", false);
    deepStrictEqual(await two.read(session.id, "s", 0), []);
  });

  test("redisSessionStore() keeps no change of what somebody else has changed", PATIENT, async () => {
    const { one, two } = await openTwo();
    const { id } = newSession();
    await one.put(newSession({ id, capabilities: { b: 1, "10": 2, "9": {} } }));
    const [seenByOne, seenByTwo] = [await one.get(id), await two.get(id)];
    ok(seenByOne !== undefined && seenByTwo !== undefined);
    strictEqual(await one.put({ ...seenByOne, logLevel: "debug" }, seenByOne), true);
    strictEqual(await two.put({ ...seenByTwo, subscriptions: ["a:b"] }, seenByTwo), false);
    strictEqual((await two.get(id))?.logLevel, "debug");
    await two.delete(id);
    strictEqual(await one.put(seenByOne, seenByOne), false, "what has ended is not begun anew");
    strictEqual(await one.get(id), undefined);
  });

  test("redisSessionStore() reads streams after a number, whoever has written them", PATIENT, async () => {
    const { one, two } = await openTwo();
    const { id } = newSession();
    await one.put(newSession({ id }));
    await Promise.all([1, 2, 3].map((n) => one.append(id, "s", `{"n":${n}}`, false)));
    await two.append(id, "t", "null", false);
    await two.append(id, "s", `{"n":4}`, true);
    const all = await two.read(id, "s", 0);
    deepStrictEqual(all.map(({ json, isLast }) => [json, isLast]), [
      [`{"n":1}`, false],
      [`{"n":2}`, false],
      [`{"n":3}`, false],
      [`{"n":4}`, true],
    ]);
    const numbers = all.map(({ number }) => number);
    ok(numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0)), numbers.join());
    deepStrictEqual(await one.read(id, "s", numbers[1] ?? 0), all.slice(2));
    deepStrictEqual(await one.read(id, "s", 999_999_999_999_999), []);
  });

  test("redisSessionStore() tells everyone who listens to a session, and nobody else", PATIENT, async () => {
    const { one, two, redis } = await openTwo();
    const [{ id }, other] = [newSession(), newSession()];
    for (const session of [newSession({ id }), other]) await one.put(session);
    const here = await hear(one, redis, id);
    const there = await hear(two, redis, id);
    const elsewhere = await hear(two, redis, other.id);
    const notes: SessionEvent[] = [
      { kind: "response", id: "q", result: { action: "accept" } },
      { kind: "message", stream: "s" },
      { kind: "cancelled", requestId: 7 },
      { kind: "ended" },
    ];
    await one.publish(id, { kind: "response", id: "q", result: { action: "accept" } });
    await two.append(id, "s", "1", false);
    await two.publish(id, { kind: "cancelled", requestId: 7 });
    await two.delete(id);
    for (const { heard } of [here, there]) {
      await eventually("all is told", () => heard.some(({ kind }) => kind === "ended"));
      // Notes that were published while the connection was opened are emitted twice.
      const reply = new Set(heard.map((note) => JSON.stringify(note)));
      deepStrictEqual([...reply].map((note) => JSON.parse(note)), notes);
    }
    deepStrictEqual(elsewhere.heard, []);
    for (const { leave } of [here, there, elsewhere]) leave();
    await eventually("nobody listens any more", async () => !await isHeard(redis, `*${id}`));
    here.leave();
  });

  test("redisSessionStore() tells what was said before it could listen", PATIENT, async () => {
    const { one, two } = await openTwo();
    const { id } = newSession();
    await one.put(newSession({ id }));
    await two.publish(id, { kind: "cancelled", requestId: "before the request" });
    await one.get(id);
    // Published at once, while the connection for channels is being opened.
    const heard: SessionEvent[] = [];
    const [leave] = [
      one.subscribe(id, (note) => void heard.push(note)),
      await two.publish(id, { kind: "response", id: "q", result: {} }),
      await two.append(id, "s", "1", false),
    ];
    await eventually("both are told", () => new Set(heard.map(({ kind }) => kind)).size === 2);
    deepStrictEqual(heard.filter(({ kind }) => kind === "cancelled"), []);
    leave();
  });

  test("redisSessionStore() tells what was said while its connection was broken", PATIENT, async () => {
    const { one, two, redis } = await openTwo();
    const [session, deleted] = [newSession(), newSession()];
    for (const one of [session, deleted]) await two.put(one);
    const listening = await hear(one, redis, session.id);
    const ending = await hear(one, redis, deleted.id);
    // In one transaction, so that the connection is restored only afterwards.
    await withRedis(redis, async (client) => {
      const note = JSON.stringify({ kind: "response", id: "q", result: {} });
      const key = (await client.pubsub("CHANNELS", `*${session.id}`) as string[])[0] ?? "";
      await client.multi().call("CLIENT", "KILL", "TYPE", "pubsub").hincrby(key, "number", 1)
        .xadd(`${key}:notes`, "1-0", "json", note).del(key.replace(session.id, deleted.id)).exec();
    });
    await eventually("the answer is told", () => listening.heard.some(({ kind }) => kind === "response"));
    await eventually("the end is told", () => ending.heard.some(({ kind }) => kind === "ended"));
    await two.publish(session.id, { kind: "cancelled", requestId: 1 });
    await eventually("it goes on", () => listening.heard.some(({ kind }) => kind === "cancelled"));
    listening.leave();
    ending.leave();
  });

  test("redisSessionStore() forgets sessions that were quiet for long, with all that they had", PATIENT, async () => {
    const ttlMs = 600_000;
    const { one, two, redis, prefix } = await openTwo({ ttlMs });
    const { id } = newSession();
    await one.put(newSession({ id }));
    await one.append(id, "s", "1", true);
    await one.publish(id, { kind: "cancelled", requestId: 1 });
    await withRedis(redis, async (client) => {
      const keys = await client.keys(`${prefix}*`);
      strictEqual(keys.length, 6, keys.join());
      for (const key of keys) ok(await client.pttl(key) > ttlMs / 2, key);
      await client.pexpire(`${prefix}session:${id}`, ttlMs / 2);
      await two.get(id);
      ok(await client.pttl(`${prefix}session:${id}`) > ttlMs / 2, "each request begins its time anew");
    });
    const quick = await openTwo({ ttlMs: 100 });
    await quick.one.put(newSession({ id }));
    await quick.one.append(id, "s", "1", true);
    await eventually("nothing is left", async () => {
      return (await withRedis(redis, (client) => client.keys(`${quick.prefix}*`))).length === 0;
    });
    strictEqual(await quick.two.get(id), undefined);
  });

  test("redisSessionStore() has the session go that was quiet longest when there are too many", PATIENT, async () => {
    const { one, two, redis, prefix } = await openTwo({ maxSessions: 2 });
    const sessions = [newSession(), newSession(), newSession()] as const;
    const [first, second, third] = sessions;
    await one.put(first);
    await one.put(second);
    await one.append(second.id, "s", "1", true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await two.get(first.id);
    const { heard, leave } = await hear(one, redis, second.id);
    await two.put(third);
    strictEqual(await one.get(second.id), undefined);
    deepStrictEqual((await one.get(first.id))?.id, first.id);
    await eventually("its end is told", () => heard.some(({ kind }) => kind === "ended"));
    deepStrictEqual(await withRedis(redis, (client) => client.keys(`${prefix}session:${second.id}*`)), []);
    leave();
  });

  test("redisSessionStore() keeps so much of a session, and no more", PATIENT, async () => {
    const { one, redis, prefix } = await openTwo();
    const { id } = newSession();
    await one.put(newSession({ id }));
    const key = `${prefix}session:${id}`;
    for (let n = 0; n < 1_100; n++) void one.append(id, "long", `${n}`, false);
    await one.append(id, "long", `"last"`, false);
    const kept = await one.read(id, "long", 0);
    deepStrictEqual([kept.length, kept[0]?.json, kept.at(-1)?.json], [1_024, "77", `"last"`]);
    for (let n = 0; n < 1_030; n++) void one.append(id, `stream-${n}`, "1", true);
    await one.append(id, "another", "1", true);
    strictEqual(await withRedis(redis, (client) => client.zcard(`${key}:streams`)), 1_024);
    strictEqual((await one.read(id, "long", 0)).length, 1_024, "somebody waits for its end");
    deepStrictEqual(await one.read(id, "stream-0", 0), []);
    strictEqual((await one.read(id, "stream-1029", 0)).length, 1);
    const large = JSON.stringify("x".repeat(1_500_000));
    for (const name of ["a", "b", "c"]) await one.append(id, name, large, true);
    deepStrictEqual(await Promise.all(["a", "b", "c"].map(async (name) => (await one.read(id, name, 0)).length)), [
      0,
      1,
      1,
    ]);
    const total = await withRedis(redis, (client) => client.hgetall(`${key}:sizes`));
    const { "": sum, ...sizes } = total;
    strictEqual(Number(sum), Object.values(sizes).reduce((all, size) => all + Number(size), 0));
    ok(Number(sum) <= 4_194_304);
    for (let n = 0; n < 300; n++) await one.publish(id, { kind: "cancelled", requestId: n });
    strictEqual(await withRedis(redis, (client) => client.xlen(`${key}:notes`)), 256);
    for (const n of [1, 2, 3]) await one.publish(id, { kind: "response", id: `${n}`, result: large });
    strictEqual(await withRedis(redis, (client) => client.xlen(`${key}:notes`)), 2);
  });

  test("redisSessionStore() passes over what others have written in its place, and tells so", PATIENT, async () => {
    const { one, redis, prefix, errors } = await openTwo();
    const ids = ["text", "list", "json", "array", "null", "other"].map((name) => `${name}-${crypto.randomUUID()}`);
    await withRedis(redis, async (client) => {
      const [text, list, ...hashes] = ids.map((id) => `${prefix}session:${id}`);
      await client.set(String(text), "junk");
      await client.rpush(String(list), "junk");
      const values = ["{", "[]", "null", `{"id":"x"}`];
      for (const [at, key] of hashes.entries()) await client.hset(key, "session", String(values[at]));
    });
    for (const id of [...ids, "", "a:streams", "../x", "x".repeat(65), "ä"]) {
      strictEqual(await one.get(id), undefined, id);
    }
    strictEqual(errors.length > 0, true);
    const { id } = newSession();
    await one.put(newSession({ id }));
    const key = `${prefix}session:${id}`;
    await one.append(id, "s", `"first"`, false);
    const before = errors.length;
    for (const part of ["streams", "sizes", "stream:s"]) strictEqual(await one.get(`${id}:${part}`), undefined);
    strictEqual(errors.length, before, "what is no id is not even looked for");
    const listening = await hear(one, redis, id);
    await withRedis(redis, async (client) => {
      for (const junk of ["{", "", `{"a":\n1}`, `"b"\r`]) await client.xadd(`${key}:stream:s`, "*", "json", junk);
      await client.xadd(`${key}:stream:s`, "*", "nothing", "at all");
      for (
        const junk of [
          "",
          "junk",
          "7 {",
          `7 {"kind":"message"}`,
          `x {"kind":"ended","x":1}`,
          "8 null",
          `9 {"kind":"x"}`,
        ]
      ) {
        await client.publish(key, junk);
      }
      await client.xadd(`${key}:notes`, "1-0", "json", "{");
      await client.call("CLIENT", "KILL", "TYPE", "pubsub");
    });
    deepStrictEqual((await one.read(id, "s", 0)).map(({ json }) => json), [`"first"`]);
    await eventually("what makes sense is told", () => listening.heard.some(({ kind }) => kind === "ended"));
    ok(errors.every((error) => !String(error).includes(id)), "whoever knows the id of a session has it");
    await withRedis(redis, (client) => client.set(`${key}:stream:t`, "junk"));
    await rejects(async () => await one.append(id, "t", "1", false), /WRONGTYPE/);
    listening.leave();
  });

  test("redisSessionStore() appends once what it had to say again", PATIENT, async () => {
    const { one, redis } = await openTwo({ timeoutMs: 300 });
    const { id } = newSession();
    await eventually("Redis is in time", () => isDone(() => one.put(newSession({ id }))));
    // Commands in the meantime are executed later, after their time limit.
    await pauseRedis(redis, 1_000);
    await Promise.all([1, 2].map((n) => one.append(id, "s", `${n}`, n === 2)));
    deepStrictEqual((await one.read(id, "s", 0)).map(({ json }) => json), ["1", "2"]);
  });

  test("redisSessionStore() listens all the same where Redis did not answer in time", PATIENT, async () => {
    const { one, two, redis } = await openTwo({ timeoutMs: 300 });
    const [{ id }, other] = [newSession(), newSession()];
    await eventually("Redis is in time", () => isDone(() => one.put(newSession({ id }))));
    await eventually("Redis is in time", () => isDone(() => two.put(other)));
    const { leave } = await hear(one, redis, id);
    await pauseRedis(redis, 1_500);
    const heard: SessionEvent[] = [];
    // The note is published before the subscription, and the time limit ends before the backlog is read.
    await isDone(() => two.publish(other.id, { kind: "response", id: "q", result: {} }));
    const leaveOther = one.subscribe(other.id, (note) => void heard.push(note));
    await eventually("it is told", () => heard.some(({ kind }) => kind === "response"));
    leave();
    leaveOther();
  });

  test("redisSessionStore() that is closed says so, and leaves nothing behind", PATIENT, async () => {
    const { one } = await openTwo();
    const session = newSession();
    await one.put(session);
    const leave = one.subscribe(session.id, () => {});
    one.close();
    leave();
    await rejects(async () => await one.get(session.id));
    await rejects(async () => await one.append(session.id, "s", "1", true));
    redisSessionStore({ redis: await url() }).close();
  });
});

test("redisSessionStore() rejects, and tells once, where there is no Redis", PATIENT, async () => {
  const errors: unknown[] = [];
  const logger = errorLogger((error) => errors.push(error));
  const store = redisSessionStore({ redis: "redis://127.0.0.1:1", timeoutMs: 300, logger });
  for (let n = 0; n < 2; n++) await rejects(async () => await store.get("x"));
  strictEqual(errors.length, 1);
  const waiting = rejects(async () => await store.append("x", "s", "1", true));
  store.close();
  await waiting;
});

test("redisSessionStore() refuses limits that are none", () => {
  for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    throws(() => redisSessionStore({ redis: "redis://127.0.0.1:1", ttlMs: limit }), {
      name: "RangeError",
      message: /ttlMs/,
    });
    throws(() => redisSessionStore({ redis: "redis://127.0.0.1:1", maxSessions: limit }), { name: "RangeError" });
  }
});
