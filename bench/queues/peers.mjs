// The peers: a job is added by its caller, who waits for the result that the queue has stored.
import { createPostgresBackend, Queue, QueueEvents, runMigrations, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { setTimeout as sleep } from "node:timers/promises";
import { Begins } from "./begins.mjs";

/** Of pg-boss, for a result that is about to be stored. */
const lookMs = 2;

/** What the workers do: adds, or says how late it begins. */
function toHandler(begins) {
  return ({ a, b, dueMs }) => {
    if (dueMs !== undefined) return { lateMs: performance.now() - dueMs };
    begins.note(a);
    return { sum: a + b };
  };
}

/** BullMQ alone; its events give the result. */
export async function openPlain(concurrency, { redis, postgres }) {
  const name = `plain-${crypto.randomUUID()}`;
  const begins = new Begins();
  const handle = toHandler(begins);
  const backend = redis === undefined ? [createPostgresBackend] : [];
  const connect = redis === undefined
    ? await connectPostgres(postgres)
    : () => new Redis(redis, { maxRetriesPerRequest: null });
  const queue = new Queue(name, { connection: connect() }, ...backend);
  const events = new QueueEvents(name, { connection: connect() }, ...backend);
  const worker = new Worker(
    name,
    ({ data }) => Promise.resolve(handle(data)),
    { connection: connect(), concurrency },
    ...backend,
  );
  await Promise.all([queue, events, worker].map((one) => one.waitUntilReady()));
  const run = async (data, options) => {
    const job = await queue.add("add", data, options);
    return redis === undefined ? await lookFor(queue, job.id) : await job.waitUntilFinished(events);
  };
  return {
    whenBegun: (a) => begins.when(a),
    add: async (a) => (await run({ a, b: 1 })).sum,
    nap: async (_, ms) => (await run({ dueMs: performance.now() + ms }, { delay: ms })).lateMs,
    close: async () => void await Promise.all([queue, events, worker].map((one) => one.close())),
  };
}

/** On PostgreSQL, BullMQ's events get lost: those of concurrent jobs are not numbered in the order in which they are committed. */
async function lookFor(queue, id) {
  for (;; await sleep(lookMs)) {
    const { returnvalue, finishedOn } = await queue.getJob(id);
    if (finishedOn) return returnvalue;
  }
}

/** @returns makes a pool on the tables of BullMQ. */
async function connectPostgres(url) {
  const client = new pg.Client(url);
  await client.connect();
  await runMigrations(client, "bullmq");
  await client.end();
  return () => new pg.Pool({ connectionString: url, options: "-c search_path=bullmq", keepAlive: true });
}

/** pg-boss, with notifications. It has none for results: who waits looks at the job once its handler has run. */
export async function openBoss(concurrency, { postgres }) {
  const boss = new PgBoss({ connectionString: postgres, useListenNotify: true });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  const name = `boss-${crypto.randomUUID()}`;
  await boss.createQueue(name, { notify: true });
  const begins = new Begins();
  const handle = toHandler(begins);
  const ran = new Map();
  const options = { localConcurrency: concurrency, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };
  await boss.work(name, options, ([{ id, data }]) => {
    const result = handle(data);
    ran.get(data.key)?.(id);
    ran.delete(data.key);
    return Promise.resolve(result);
  });
  const run = async (data, sendOptions) => {
    const key = crypto.randomUUID();
    const hasRun = new Promise((resolve) => ran.set(key, resolve));
    await boss.send(name, { ...data, key }, sendOptions);
    const id = await hasRun;
    for (;; await sleep(lookMs)) {
      const job = await boss.getJobById(name, id);
      if (job.state === "completed") return job.output;
    }
  };
  return {
    whenBegun: (a) => begins.when(a),
    add: async (a) => (await run({ a, b: 1 })).sum,
    nap: async (_, ms) => {
      const startAfter = new Date(Date.now() + ms);
      return (await run({ dueMs: performance.now() + ms }, { startAfter })).lateMs;
    },
    close: () => boss.stop({ graceful: false }),
  };
}
