/**
 * A tour of promises that any replica can redeem: starts Redis, three replicas and nginx, has them begin work that takes
 * seconds, kills one of them with -9, and redeems all of it at those that are left.
 *
 * Run with `npm run replicas`, or `bun examples/replicas/main.ts`, or `deno run -A examples/replicas/main.ts`. It ends with 0
 * if all went as it should, and with 1 and the reason if not.
 *
 * @module
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import process from "node:process";
import { createClient } from "jsr:@toolwire/toolwire";
import { REPLICA_HEADER } from "./nginx.ts";
import { missingPrograms } from "./programs.ts";
import { type Replica, type Stage, startStage } from "./replicas.ts";
import type { ReplicaServer } from "./server.ts";
import { print, printStep, printTable } from "./transcript.ts";

/** How many primes there are below these. */
const PRIMES = new Map([[100_000, 9_592], [200_000, 17_984], [300_000, 25_997], [400_000, 33_860]]);
const JOB_COUNT = 10;

/** One piece of work, and who had to do with it. */
interface Job {
  readonly number: number;
  readonly below: number;
  readonly token: string;
  /** The replica that promised. */
  readonly begunAt: string;
}

interface Redeemed extends Job {
  readonly answer: { readonly primes: number; readonly counted_by: string; readonly attempt: number };
  /** The replicas that gave the answer, in this order. */
  readonly toldBy: readonly string[];
}

const missing = missingPrograms({ "redis-server": "redis-server", nginx: "nginx" });
if (missing === undefined) await takeTour();
else {
  console.error(`Cannot start the replicas: ${missing}`);
  process.exitCode = 1;
}

async function takeTour(): Promise<void> {
  print("Toolwire: promises that any replica can redeem");
  const stage = await startStage(["A", "B", "C"]);
  try {
    printStep("Three replicas behind nginx, one Redis");
    print(`nginx answers on ${stage.url}, round robin over`);
    for (const { name, port, pid } of stage.replicas) print(`  ${name} on 127.0.0.1:${port}, process ${pid}`);

    const jobs = await begin(stage);
    const victim = await killOne(stage, jobs);
    const redeemed = await redeemAll(stage, jobs);
    await bringBack(stage, victim, redeemed);
    check(redeemed, victim.name);
    print("", "All as it should be.");
  } finally {
    await stage.stop();
  }
}

async function begin(stage: Stage): Promise<readonly Job[]> {
  printStep(
    "Begin",
    "const outcome = await client.count_primes.outcome({ below });  // not done within 500 ms: a promise",
  );
  const belows = [...PRIMES.keys()];
  const jobs = await Promise.all(Array.from({ length: JOB_COUNT }, async (_, index): Promise<Job> => {
    const below = belows[index % belows.length] ?? 0;
    const { client, answeredBy } = connect(stage);
    const outcome = await client.count_primes.outcome({ below });
    ok(outcome.kind === "promise", `Job ${index + 1} gave its ${outcome.kind} at once`);
    return { number: index + 1, below, token: outcome.token, begunAt: answeredBy() };
  }));
  for (const { number, token, begunAt } of jobs) print(`job ${number}: ${begunAt} promises ${token.slice(0, 24)}…`);
  return jobs;
}

async function killOne({ replicas }: Stage, jobs: readonly Job[]): Promise<Replica> {
  const victim = replicas.find(({ name }) => name === jobs[0]?.begunAt);
  ok(victim !== undefined);
  const { name, pid } = victim;
  printStep(`Kill ${name}`, `kill -9 ${pid}`);
  await victim.kill();
  const lost = jobs.filter(({ begunAt }) => begunAt === name).map(({ number }) => number);
  print(`${name} is gone, in the middle of the jobs ${lost.join(", ")}.`);
  return victim;
}

async function redeemAll(stage: Stage, jobs: readonly Job[]): Promise<readonly Redeemed[]> {
  printStep("Redeem", "const answer = await client.$.redeem(token).result();");
  const startMs = performance.now();
  return await Promise.all(jobs.map(async (job): Promise<Redeemed> => {
    const { client, answeredBy } = connect(stage);
    const answer = await client.$.redeem<Redeemed["answer"]>(job.token).result();
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    const again = answer.attempt > 1 ? `, in attempt ${answer.attempt}` : "";
    const { primes, counted_by: countedBy } = answer;
    print(
      `${seconds} s: job ${job.number}: ${primes} primes, counted by ${countedBy}${again}, told by ${answeredBy()}`,
    );
    return { ...job, answer, toldBy: [answeredBy()] };
  }));
}

/** Promises are redeemed as often as one likes, and where one likes. */
async function bringBack(stage: Stage, victim: Replica, redeemed: readonly Redeemed[]): Promise<void> {
  printStep(`Start ${victim.name} again, and redeem once more`, "const again = await client.$.redeem(token).status();");
  await victim.start();
  const everybody = stage.replicas.map(({ name }) => name).sort();
  for (const job of redeemed) {
    const told = new Set<string>();
    // Round robin comes to each of them; at once to one that was away only after a second.
    for (let tries = 0; told.size < everybody.length && tries < 500; tries++) {
      const { client, answeredBy } = connect(stage);
      const again = await client.$.redeem(job.token).status();
      ok(again.kind === "answer", `Job ${job.number} gave a ${again.kind} after its answer`);
      deepStrictEqual(again.value, job.answer);
      told.add(answeredBy());
    }
    deepStrictEqual([...told].sort(), everybody);
  }
  print(`${everybody.join(", ")}: each of them tells each of the ${redeemed.length} answers, and the same.`);
}

function check(redeemed: readonly Redeemed[], victim: string): void {
  printStep("What happened");
  const heading = ["job", "begun at", "counted by", "attempt", "told by", "primes"];
  const rows = redeemed.map(({ number, begunAt, answer, toldBy, below }) => [
    `${number}`,
    begunAt === victim ? `${begunAt} (killed)` : begunAt,
    answer.counted_by,
    `${answer.attempt}`,
    toldBy.join(),
    `${answer.primes} below ${below}`,
  ]);
  printTable([heading, ...rows]);
  const elsewhere = redeemed.filter(({ begunAt, toldBy }) => !toldBy.includes(begunAt)).length;
  const rescued = redeemed.filter(({ begunAt, answer }) => begunAt === victim && answer.counted_by !== victim).length;
  const begunThere = redeemed.filter(({ begunAt }) => begunAt === victim).length;
  print("", `${redeemed.length} promises, ${redeemed.length} answers, 0 lost;`);
  print(`${elsewhere} first told by another replica than the one that promised,`);
  print(`${rescued} of ${begunThere} taken over from ${victim}.`);
  for (const { below, answer } of redeemed) deepStrictEqual(answer.primes, PRIMES.get(below));
  ok(begunThere > 0);
  deepStrictEqual(rescued, begunThere);
  ok(elsewhere >= begunThere);
}

/** A client of nginx that knows which replica has answered last. Like any other, it retries what does no harm. */
function connect({ url, replicas }: Stage) {
  let address = "";
  const client = createClient<ReplicaServer>(`${url}/mcp-lite/v1`, {
    async fetch(to, init) {
      const response = await fetch(to, init);
      // Those before the last could not be reached.
      address = response.headers.get(REPLICA_HEADER)?.split(", ").at(-1) ?? "";
      return response;
    },
  });
  const answeredBy = () => replicas.find(({ port }) => address.endsWith(`:${port}`))?.name ?? "nobody";
  return { client, answeredBy };
}
