/** `webhook`: what is sent when work ends, its signature, tries, and what is not sent. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { Webhook } from "standardwebhooks";
import { createServer, defineTool, Failure, memoryEngine } from "../../../mod.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { createServer as createCoreServer, defineTool as defineCoreTool } from "../../../src/entries/core.ts";
import { verifyWebhook, webhook, type WebhookOptions } from "../../../src/entries/webhooks.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { FakeClock, simulateReplicas } from "../../../src/entries/testing.ts";
import { Bench, KeptLog } from "../../core/dispatch/harness.ts";
import { asAnswer, asFailure, asPromise, Gates, KEYS, pass as passOn, redeem } from "../../jobs/promises/promised.ts";
import { assertSigned, ENDPOINT, OTHER_SECRET, Receiver, replicas, SECRET } from "./receiver.ts";

const HOUR = 3_600_000;

const report = defineTool("report").describe("Write a report").promise({ ttlMs: 48 * HOUR })
  .input(v.object({ end: v.optional(v.string()) }))
  .handle(async ({ end }, ctx) => {
    await ctx.sleep("pause", 10_000);
    if (end === "fail") throw new Failure("no_data", "There is no data");
    return "done";
  });

/** A server with a webhook to the receiver of these replicas. */
function opened(options: WebhookOptions = {}, endpoint: Parameters<typeof webhook>[0] = ENDPOINT, concurrency = 10) {
  const stage = replicas();
  const log = new KeptLog();
  const onComplete = [webhook(endpoint, { fetch: stage.receiver.fetch, ...options })];
  const bench = stage.start([report], { onComplete, logger: log, work: { concurrency } });
  const begin = async (args: Readonly<Record<string, unknown>> = {}) => {
    return asPromise(await bench.call("report", args)).token;
  };
  return { ...stage, log, bench, onComplete, begin };
}

test("the end of promised work is sent, signed, with the token that the caller has, and without the result", async () => {
  const { bench, receiver, begin, pass } = opened();
  const token = await begin();
  strictEqual(receiver.got.map(String).join(), "");
  await pass(10_000);
  const [sent, ...others] = receiver.got;
  ok(sent !== undefined);
  strictEqual(others.length, 0);
  assertSigned(sent);
  strictEqual(sent.url, ENDPOINT.url);
  strictEqual(sent.headers["content-type"], "application/json");
  const { type, timestamp, data: { call_id: callId, ...data } } = sent.body;
  deepStrictEqual([type, data], ["job.completed", { tool: "report", promise: token }]);
  ok(Math.abs(Date.parse(timestamp) - sent.atMs) < 1_000);
  match(callId, /^[0-9a-f-]{36}$/);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  await pass(48 * HOUR);
  strictEqual(receiver.got.length, 1, "once");
});

test("a failure is sent with its code, and a cancelled call as that, also if it sleeps", async () => {
  const { bench, receiver, begin, pass } = opened();
  await begin({ end: "fail" });
  const cancelled = await begin();
  deepStrictEqual(asAnswer(await bench.call("cancel", { promise: cancelled })), { cancelled: true });
  await pass(0);
  deepStrictEqual(receiver.got.map(({ body }) => body.type), ["job.cancelled"]);
  strictEqual(receiver.got[0]!.body.data.promise, cancelled);
  await pass(10_000);
  deepStrictEqual(receiver.got.map(({ body }) => body.type), ["job.cancelled", "job.failed"]);
  strictEqual(receiver.got[1]!.body.data.code, "no_data");
  await bench.call("cancel", { promise: cancelled });
  await pass(HOUR);
  strictEqual(receiver.got.length, 2, "a repeated cancel sends nothing");
});

test("tries come after 5 s, 1 min, 10 min, 1 h, 6 h and 24 h, with one id and a new time, then it is logged", async () => {
  const { receiver, begin, pass, log } = opened();
  receiver.reply = () => new Response(null, { status: 500 });
  await begin();
  await pass(10_000);
  for (const ms of [5_000, 60_000, 600_000, HOUR, 6 * HOUR, 24 * HOUR]) await pass(ms);
  await pass(48 * HOUR);
  const gaps = receiver.got.slice(1).map(({ atMs }, at) => (atMs - receiver.got[at]!.atMs) / 1000);
  deepStrictEqual(gaps, [5, 60, 600, 3_600, 21_600, 86_400]);
  strictEqual(new Set(receiver.got.map(({ headers }) => headers["webhook-id"])).size, 1);
  strictEqual(new Set(receiver.got.map(({ text }) => text)).size, 1);
  const times = receiver.got.map(({ headers }) => Number(headers["webhook-timestamp"]));
  deepStrictEqual(times, receiver.got.map(({ atMs }) => Math.floor(atMs / 1000)));
  const errors = log.lines.filter(({ level }) => level === "error");
  deepStrictEqual(errors.map(({ message }) => message), [
    "A webhook was not delivered: Gave up after 7 tries, the last: 500",
  ]);
});

test("2xx and 410 end the tries, a redirect does not and is not followed; Retry-After delays the next", async () => {
  const replies = [
    new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }),
    new Response(null, { status: 503, headers: { "retry-after": "120" } }),
    new Response(null, { status: 410 }),
  ];
  const { receiver, begin, pass } = opened();
  const redirects: unknown[] = [];
  receiver.reply = ({ redirect }) => {
    redirects.push(redirect);
    return replies.shift()!;
  };
  await begin();
  for (const ms of [10_000, 5_000, 60_000, 59_000, 1_000, HOUR]) await pass(ms);
  const [first] = receiver.got;
  deepStrictEqual(receiver.got.map(({ atMs }) => (atMs - first!.atMs) / 1000), [0, 5, 125]);
  deepStrictEqual(redirects, ["manual", "manual", "manual"]);
});

test("an endpoint that does not answer costs a try ten seconds, and is tried again", async () => {
  const { receiver, begin, pass } = opened({ retryMs: [20_000] });
  let aborted = 0;
  receiver.reply = ({ signal }) => {
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error(`${++aborted}`))));
  };
  await begin();
  await pass(10_000);
  await pass(9_999);
  strictEqual(aborted, 0);
  await pass(1);
  strictEqual(aborted, 1);
  receiver.reply = () => new Response();
  await pass(20_000);
  strictEqual(receiver.got.length, 2);
});

test("after five failures an endpoint is tried once a minute, and others are not held up", async () => {
  const endpointOf = ({ principalId }: { readonly principalId: string | undefined }) => ({
    url: `https://${principalId}.example.com/`,
    secret: SECRET,
  });
  const { receiver, bench, pass, log } = opened({ retryMs: [1_000_000] }, endpointOf, 1);
  const passAll = async (ms: number) => {
    await pass(ms);
    for (let turn = 0; turn < 20; turn++) await pass(0);
  };
  receiver.reply = () => new Response(null, { status: 500 });
  const begin = async (id: string) => void asPromise(await bench.call("report", {}, { peer: { principal: { id } } }));
  for (let n = 0; n < 8; n++) await begin("dead");
  await begin("other");
  await passAll(10_000);
  const countOf = (id: string) => receiver.got.filter(({ url }) => url === `https://${id}.example.com/`).length;
  deepStrictEqual([countOf("dead"), countOf("other")], [5, 1]);
  strictEqual(log.lines.filter(({ message }) => message.includes("once a minute")).length, 1);
  await begin("dead");
  await begin("dead");
  for (const tried of [6, 7, 8, 9, 10]) {
    await passAll(60_000);
    strictEqual(countOf("dead"), tried, "one of those that wait tries; the others keep their try");
  }
  await passAll(1_000_000);
  strictEqual(countOf("dead"), 20, "each webhook has had its two tries");
});

test("a full engine delays webhooks, and does not stop the work", async () => {
  const clock = new FakeClock(Date.now());
  const receiver = new Receiver(clock);
  let ended = 0;
  const counted = defineTool("counted").describe("C").promise().handle(async (_, ctx) => {
    await ctx.sleep("pause", 10_000);
    return ++ended;
  });
  const bench = new Bench([counted], {
    ...{ keys: KEYS, clock, engine: memoryEngine({ clock, maxJobs: 12 }), work: { concurrency: 2 } },
    onComplete: [webhook(ENDPOINT, { fetch: receiver.fetch })],
  });
  for (let n = 0; n < 12; n++) asPromise(await bench.call("counted", {}));
  await passOn({ clock }, 10_000);
  for (let turn = 0; turn < 60; turn++) await passOn({ clock }, 1_000);
  strictEqual(ended, 12);
  ok(receiver.got.length > 0);
  await bench.server.close();
});

test("a webhook counts as a job of the caller, and is kept no longer than the job that has ended", async () => {
  const { bench, engine, pass, clock, receiver } = opened();
  receiver.reply = () => new Response(null, { status: receiver.got.length === 1 ? 500 : 204 });
  const peer = { principal: { id: "ada" } };
  asPromise(await bench.call("report", {}, { peer }));
  await pass(10_000);
  const jobs = async () =>
    await Promise.all((await engine.list!({}, 10)).ids.map(async (id) => (await engine.get(id))!));
  deepStrictEqual((await jobs()).map(({ principal }) => principal?.id), ["ada", "ada"]);
  await pass(5_000);
  strictEqual(receiver.got.length, 2);
  const [one, two] = (await jobs()).map(({ expiresAtMs }) => expiresAtMs);
  strictEqual(one, two);
  ok(one! > clock.now());
});

test("work that has failed, is retried and cancelled before it runs sends both ends", async () => {
  const { receiver, start, pass } = replicas();
  const gates = new Gates();
  const failing = defineTool("failing").describe("F").promise({ retries: 0, keepFailed: true }).handle(
    async (_, ctx) => {
      await ctx.sleep("pause", 10_000);
      throw new Error("down");
    },
  );
  const blocking = defineTool("blocking").describe("B").promise().handle(async (_, ctx) => {
    await ctx.sleep("pause", 10_000);
    return await gates.wait();
  });
  const bench = start([failing, blocking], {
    onComplete: [webhook(ENDPOINT, { tools: ["failing"], fetch: receiver.fetch })],
    work: { concurrency: 1 },
    logger: new KeptLog(),
  });
  const { token } = asPromise(await bench.call("failing", {}));
  await pass(10_000);
  await pass(0);
  asFailure(await redeem(bench, token), "attempts_exhausted");
  const jobs = jobsOf(bench.server);
  const [failed] = (await jobs.list({ tool: "failing" })).jobs;
  asPromise(await bench.call("blocking", {}));
  await pass(10_000);
  strictEqual(gates.begun, 1, "the only slot is taken");
  await jobs.retry(failed!.id);
  await jobs.cancel(failed!.id);
  await gates.end(1);
  await pass(0);
  deepStrictEqual(receiver.got.map(({ body }) => body.type), ["job.failed", "job.cancelled"]);
});

test("a call with an idempotency key of a tool without .promise() sends no token, as nothing redeems it", async () => {
  const { receiver, start, pass } = replicas();
  const plain = defineTool("plain").describe("P").handle(() => 1);
  const bench = start([plain], { onComplete: [webhook(ENDPOINT, { fetch: receiver.fetch })] });
  asAnswer(await bench.call("plain", {}, { meta: { idempotencyKey: "a" } }));
  await pass(0);
  deepStrictEqual(receiver.got.map(({ body: { data } }) => Object.keys(data)), [["tool", "call_id"]]);
});

test("a process that dies after it has stored the end, and before the webhook, loses none: another one sends it", async () => {
  for (const way of ["cancel", "finish"]) {
    const stage = replicas();
    let stored = 0;
    const dying = (engine: Engine): Engine => ({
      ...engine,
      insert: (job, dueInMs) => {
        if (job.tool !== "webhook@completion") return engine.insert(job, dueInMs);
        stored++;
        return new Promise(() => {});
      },
    });
    const servers = simulateReplicas({
      count: 2,
      clock: stage.clock,
      create: ({ index, clock, attach }) =>
        createServer({
          tools: [report],
          keys: KEYS,
          clock,
          engine: index === 0 ? dying(attach(stage.engine)) : attach(stage.engine),
          onComplete: [webhook(ENDPOINT, { fetch: stage.receiver.fetch })],
        }),
    });
    const { token } = await servers.client({ only: 0 }).report.start();
    const over = new AbortController();
    const { signal } = over;
    if (way === "cancel") void servers.client({ only: 0 }).$.redeem(token).cancel({ signal }).catch(() => {});
    for (let tries = 0; stored === 0 && tries < 20; tries++) await stage.pass(1_000);
    strictEqual(stored, 1, way);
    servers.kill(0);
    servers.server(1).work();
    for (let seconds = 0; seconds < 7; seconds++) await stage.pass(1_000);
    deepStrictEqual(stage.receiver.got.map(({ body }) => body.data.promise), [token], way);
    over.abort();
    await servers.close(0);
  }
});

/** Replicas whose engine counts the notifications that are stored, and servers with work that ends at its gate. */
function counted() {
  let stored = 0;
  const stage = replicas((engine) => ({
    ...engine,
    insert: (job, dueInMs) => {
      if (job.tool === "webhook@completion") stored++;
      return engine.insert(job, dueInMs);
    },
  }));
  const gates = new Gates();
  const work = defineTool("work").describe("W").promise().handle(() => gates.wait());
  const onComplete = [webhook(ENDPOINT, { fetch: stage.receiver.fetch })];
  return { ...stage, gates, bench: stage.start([work], { onComplete }), stored: () => stored };
}

test("the end of a cancelled job is notified by the one that has cancelled it, and not again by the run that ends", async () => {
  const { bench, receiver, pass, stored, gates } = counted();
  const { token } = asPromise(await bench.call("work", {}, { meta: { isPromiseWanted: true } }));
  await pass(0);
  strictEqual(gates.begun, 1, "the run is under way");
  deepStrictEqual(asAnswer(await bench.call("cancel", { promise: token })), { cancelled: true });
  await pass(0);
  strictEqual(stored(), 1);
  // The delivery for a canceller that dies stores it again, under the same id.
  await pass(10_000);
  deepStrictEqual(receiver.got.map(({ body }) => body.type), ["job.cancelled"]);
});

test("a cancel of a job that has ended notifies of nothing", async () => {
  const { bench, receiver, pass, stored, gates } = counted();
  const { token } = asPromise(await bench.call("work", {}, { meta: { isPromiseWanted: true } }));
  await pass(0);
  await gates.end(1);
  await pass(10_000);
  deepStrictEqual(asAnswer(await bench.call("cancel", { promise: token })), { cancelled: false });
  await pass(10_000);
  deepStrictEqual([stored(), receiver.got.map(({ body }) => body.type)], [1, ["job.completed"]]);
});

test("several secrets sign each webhook, so that receivers can change theirs", async () => {
  const { receiver, begin, pass } = opened({}, { ...ENDPOINT, secret: [OTHER_SECRET, SECRET] });
  await begin();
  await pass(10_000);
  const [sent] = receiver.got;
  assertSigned(sent!, SECRET);
  assertSigned(sent!, OTHER_SECRET);
  match(sent!.headers["webhook-signature"]!, /^v1,\S{44} v1,\S{44}$/);
  throws(() => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(sent!.text, sent!.headers));
});

test("verifyWebhook() accepts what the library signs, and nothing with a changed byte, another secret or an old time", () => {
  const nowMs = Date.now();
  const headersOf = (atMs: number) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": `${Math.floor(atMs / 1000)}`,
    "webhook-signature": new Webhook(SECRET).sign("msg_1", new Date(atMs), '{"a":"é"}'),
  });
  const body = new TextEncoder().encode('{"a":"é"}');
  const isValid = (headers: Readonly<Record<string, string>>, bytes = body, secret: string | string[] = SECRET) => {
    return verifyWebhook(secret)(bytes, new Headers(headers));
  };
  const good = headersOf(nowMs);
  strictEqual(isValid(good), true);
  strictEqual(isValid(good, body, [OTHER_SECRET, SECRET]), true);
  strictEqual(isValid(good, body, OTHER_SECRET), false);
  strictEqual(isValid({ ...good, "webhook-signature": `v1a,x ${good["webhook-signature"]}` }), true);
  strictEqual(isValid(headersOf(nowMs - 310_000)), false);
  strictEqual(isValid(headersOf(nowMs + 310_000)), false);
  for (const name of Object.keys(good)) strictEqual(isValid({ ...good, [name]: "1" }), false, name);
  strictEqual(isValid({}), false);
  for (let bit = 0; bit < body.length * 8; bit++) {
    const changed = body.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    strictEqual(isValid(good, changed), false);
  }
});

test("tools: only their work is sent; without targets nothing is stored", async () => {
  const stage = replicas();
  const other = defineTool("other").describe("O").promise().handle(async (_, ctx) => await ctx.sleep("a", 5_000));
  const onComplete = [webhook(ENDPOINT, { tools: ["other"], fetch: stage.receiver.fetch })];
  const bench = stage.start([report, other], { onComplete });
  await bench.call("report", {});
  await bench.call("other", {});
  await stage.pass(10_000);
  deepStrictEqual(stage.receiver.got.map(({ body }) => body.data.tool), ["other"]);
});

test("a call that is answered at once is not a job, and sends nothing", async () => {
  const stage = replicas();
  const quick = defineTool("quick").describe("Q").promise().handle(() => 1);
  const bench = stage.start([quick], { onComplete: [webhook(ENDPOINT, { fetch: stage.receiver.fetch })] });
  asAnswer(await bench.call("quick", {}));
  await stage.pass(HOUR);
  strictEqual(stage.receiver.got.length, 0);
});

test("a function chooses the endpoint by the caller; one that fails is tried again, undefined sends nothing", async () => {
  let isDown = true;
  const seen: unknown[] = [];
  const { receiver, bench, pass, log } = opened({}, (call) => {
    if (isDown) throw new Error("the database is away");
    seen.push({ ...call, callId: typeof call.callId });
    return call.principalId === "ada" ? { url: "https://ada.example.com/in", secret: OTHER_SECRET } : undefined;
  });
  for (const id of ["ada", "bob"]) asPromise(await bench.call("report", {}, { peer: { principal: { id } } }));
  await pass(10_000);
  isDown = false;
  await pass(5_000);
  strictEqual(receiver.got.length, 1);
  assertSigned(receiver.got[0]!, OTHER_SECRET);
  strictEqual(receiver.got[0]!.url, "https://ada.example.com/in");
  deepStrictEqual(seen, ["ada", "bob"].map((principalId) => ({ tool: "report", callId: "string", principalId })));
  ok(log.lines.some(({ message }) => message.startsWith("The endpoint of a webhook cannot be read")));
});

test("work of several targets is sent to each, with different ids", async () => {
  const stage = replicas();
  const { fetch } = stage.receiver;
  const onComplete = [webhook(ENDPOINT, { fetch }), webhook(ENDPOINT, { name: "audit", fetch })];
  await stage.start([report], { onComplete }).call("report", {});
  await stage.pass(10_000);
  const [one, two] = stage.receiver.got.map(({ headers }) => headers["webhook-id"]);
  ok(one !== undefined && two !== undefined);
  notStrictEqual(one, two);
});

test("the tool that sends is not listed, and no caller can call it", async () => {
  const { bench } = opened();
  deepStrictEqual(bench.server.tools.map(({ name }) => name), ["redeem", "cancel", "report"]);
  const result = await bench.call("webhook@completion", {});
  ok(result.kind === "error" && result.code === "tool_not_found");
});

test("what is given wrong is refused where it is created, without the secret", () => {
  for (const url of ["", "/done", "hooks.example.com", "ftp://x.example"]) {
    throws(() => webhook({ ...ENDPOINT, url }), /url must be an absolute URL/);
  }
  for (const secret of ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ=", "whsec_*", []]) {
    throws(() => webhook({ ...ENDPOINT, secret }), (error: Error) => {
      match(error.message, /whsec_/);
      return typeof secret !== "string" || !error.message.includes(secret.replace("whsec_", ""));
    });
  }
  throws(() => webhook(ENDPOINT, { retryms: [1] } as WebhookOptions), /did you mean "retryMs"/);
  throws(() => webhook(ENDPOINT, { retryMs: [-1] }), /retryMs/);
  const onComplete = [webhook(ENDPOINT), webhook(ENDPOINT)];
  throws(() => createServer({ tools: [report], keys: KEYS, onComplete }), /two webhooks are "webhook"/);
  throws(() => createServer({ tools: [report], keys: KEYS, onComplete: [ENDPOINT as never] }), /webhook\(…\)/);
  const bare = defineCoreTool("a").describe("A").handle(() => 1);
  throws(() => createCoreServer({ tools: [bare], onComplete: [webhook(ENDPOINT)] }), /onComplete .*need an engine/);
});
