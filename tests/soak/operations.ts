/** What callers do in a soak: each operation makes its calls, and checks every answer. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { ClientOptions } from "../../mod.ts";
import type { Random } from "../../src/testing/faults.ts";
import { connect, type Connection, insist, resolveAt, type Scene } from "./connection.ts";

/** A token that gave its answer. */
export interface Redeemed {
  readonly token: string;
  readonly answer: unknown;
}

/** What one operation works with. */
export interface OperationContext extends Scene {
  /** The longest job, in milliseconds. */
  readonly longestJobMs: number;
  /** Names the operation. */
  readonly name: string;
  readonly random: Random;
  /** Tokens that may be redeemed again. */
  keep(redeemed: Redeemed): void;
}

/** What `travel` answers. */
interface TravelAnswer {
  readonly word: string;
  readonly tickets: readonly string[];
  readonly callId: string;
}

/** Does something, and throws if it does not end as it should. */
export type Operation = (context: OperationContext) => Promise<void>;

/** The shortest job that is sure to be promised, in milliseconds. */
const SHORTEST_MS = 300;
/** How long a token may lie about, in milliseconds. */
const LONGEST_REST_MS = 4_000;
const WORDS = ["once", "upon", "a", "time", "there", "was", "a", "wire"];

/** Each kind of operation, and how often it is done for one of the others. */
export const OPERATIONS: Readonly<Record<string, { readonly weight: number; readonly run: Operation }>> = {
  "plain call": {
    weight: 60,
    async run(context) {
      const { random } = context;
      const { client } = connect(context);
      for (let calls = 0; calls < 10; calls++) {
        const [a, b] = [random.below(1_000), random.below(1_000)];
        strictEqual(await again(context, () => client.add({ a, b })), a + b);
      }
    },
  },

  "plain call, not repeatable": {
    weight: 15,
    async run(context) {
      const { client } = connect(context);
      const ms = context.random.below(20);
      strictEqual(await again(context, () => client.shout({ text: context.name, ms })), context.name.toUpperCase());
    },
  },

  "stream": {
    weight: 10,
    async run(context) {
      const { client } = connect(context);
      const spelt = await again(context, async () => {
        const letters: string[] = [];
        for await (const letter of client.spell.stream({ word: context.name })) letters.push(letter);
        return letters.join("");
      });
      strictEqual(spelt, context.name);
    },
  },

  "keyed call, three callers": {
    weight: 12,
    async run(context) {
      const { random, name, tally } = context;
      const amount = random.below(1_000);
      const ms = random.below(40);
      const delays = [0, 0, random.below(800)];
      const paid = await Promise.all(delays.map(async (delayMs) => {
        await sleep(delayMs);
        const { client } = connect(context);
        return await again(context, () => client.pay({ amount, ms }, { idempotencyKey: name }));
      }));
      for (const one of paid) deepStrictEqual(one, paid[0]);
      strictEqual(paid[0]?.amount, amount);
      tally.repeats += paid.length;
    },
  },

  "questions": { weight: 8, run: (context) => answerQuestions(context, {}) },

  "questions, keyed": {
    weight: 3,
    run: (context) => answerQuestions(context, { idempotencyKey: context.name }),
  },

  "conversation": {
    weight: 5,
    async run(context) {
      const { random, name } = context;
      const { client } = connect(context);
      const reply: string[] = [];
      for (let turns = 2 + random.below(6); turns > 0; turns--) {
        const item = `${name} ${turns}`;
        reply.push(item);
        deepStrictEqual(await again(context, () => client.remember({ item })), reply);
        await sleep(random.below(100));
      }
    },
  },

  "job, awaited": {
    weight: 12,
    async run(context) {
      const { longestJobMs, random, tally } = context;
      const n = random.below(1_000);
      const ms = random.below(longestJobMs);
      const answer = await again(context, () => connect(context).client.render({ n, ms }));
      strictEqual(answer.n, n * 7 + 1);
      if (answer.attempt > 1) tally.redelivered++;
    },
  },

  "job, redeemed by another": {
    weight: 12,
    async run(context) {
      const { longestJobMs, random } = context;
      const n = random.below(1_000);
      const ms = SHORTEST_MS + random.below(longestJobMs - SHORTEST_MS);
      await beginAndRedeem(context, { n, ms }, 0);
    },
  },

  "job, token kept for a while": {
    weight: 8,
    async run(context) {
      const { longestJobMs, random } = context;
      const n = random.below(1_000);
      const ms = SHORTEST_MS + random.below(longestJobMs - SHORTEST_MS);
      await beginAndRedeem(context, { n, ms }, random.below(LONGEST_REST_MS));
    },
  },

  "job, started twice by its key": {
    weight: 10,
    async run(context) {
      const { longestJobMs, random, name, tally } = context;
      const input = { n: random.below(1_000), ms: random.below(longestJobMs) };
      const answers = await Promise.all([0, random.below(500)].map(async (delayMs) => {
        await sleep(delayMs);
        const first = connect(context);
        const work = await again(context, () => first.client.render.start(input, { idempotencyKey: name }));
        return await redeemElsewhere(context, first, work, input.n);
      }));
      deepStrictEqual(answers[0], answers[1]);
      tally.repeats += answers.length;
    },
  },

  "job, cancelled": {
    weight: 4,
    async run(context) {
      const { longestJobMs, random, tally } = context;
      const { client } = connect(context);
      const begunMs = performance.now();
      const work = await again(context, () => client.render.start({ n: 1, ms: longestJobMs }));
      tally.promised++;
      await sleep(random.below(500));
      const isCancelled = await again(context, () => connect(context).client.$.redeem(work.token).cancel());
      // On a slow machine the job may be done before it is cancelled; then the answer reports that.
      const mayBeDone = performance.now() - begunMs >= longestJobMs;
      const settled = await again(context, () => connect(context).client.$.redeem(work.token).status());
      const reply = `${isCancelled}: ${JSON.stringify(settled)}`;
      if (isCancelled || !mayBeDone) {
        ok(isCancelled && settled.kind === "failure" && settled.code === "cancelled", reply);
        tally.cancelled++;
      } else {
        ok(settled.kind === "answer", reply);
        tally.redeemed++;
      }
    },
  },

  "job that asks": {
    weight: 6,
    async run(context) {
      const { random, name } = context;
      const input = { id: name, ms: random.below(1_000) };
      const { client } = connect(context, { onElicitation: () => ({ action: "accept", content: { mood: "well" } }) });
      strictEqual(await again(context, () => client.survey(input)), `${name} is well`);
    },
  },

  "job that sleeps and waits": {
    weight: 8,
    async run(context) {
      const { longestJobMs, random, name, tally, webhooks } = context;
      const ms = 1_100 + random.below(longestJobMs);
      const restMs = random.below(2 * ms);
      const tickets = new Set<string>();
      let sent: Promise<void> | undefined;
      const { client } = connect(context, {
        onElicitation: ({ message }) => {
          const [token = "", ticket = ""] = message.split(" ");
          tickets.add(ticket);
          sent ??= sleep(restMs).then(() => resolveOnce(context, token, name));
          return { action: "accept", content: {} };
        },
      });
      const { token } = await again(context, () => client.travel.start({ ms }));
      const begunMs = Date.now();
      const answer = await again(context, () => client.$.redeem<TravelAnswer>(token).result());
      await sent;
      ok(Date.now() - begunMs >= 2 * ms, "it woke early");
      strictEqual(answer.word, name);
      deepStrictEqual([...tickets], [answer.tickets[0]], "a step was done twice");
      deepStrictEqual(await again(context, () => connect(context).client.$.redeem(token).result()), answer);
      await webhooks.untilEnded(answer.callId);
      strictEqual(webhooks.ids.get(answer.callId)?.size, 1, "two webhooks of one end");
      tally.resolved++;
    },
  },

  "streamed job": {
    weight: 6,
    async run(context) {
      const ms = context.random.below(1_500);
      const { client } = connect(context);
      const reported = await again(context, () => client.story.stream({ words: WORDS, ms }).result);
      strictEqual(reported, WORDS.map((word) => `${word} `).join(""));
    },
  },
};

function again<Value>({ tally, random }: OperationContext, call: () => Promise<Value>): Promise<Value> {
  return insist(tally, random, call);
}

/** Sends one value five times at once: one of them is the first, unless its reply was lost, and no other is refused. */
async function resolveOnce(context: OperationContext, token: string, word: string): Promise<void> {
  const { brokenRequests } = context.tally;
  const replies = await Promise.all(Array.from({ length: 5 }, () => resolveAt(context, token, { word })));
  const firsts = replies.filter((reply) => reply.resolved && !reply.repeated).length;
  ok(replies.every(({ resolved }) => resolved), JSON.stringify(replies));
  ok(firsts === 1 || (firsts === 0 && context.tally.brokenRequests > brokenRequests), `${firsts} were the first`);
}

async function answerQuestions(
  context: OperationContext,
  options: { readonly idempotencyKey?: string },
): Promise<void> {
  const { name } = context;
  const answering: ClientOptions = {
    onElicitation: ({ message }) => ({ action: "accept", content: { name: `who was asked: ${message}` } }),
    onMoreRequested: () => ({ action: "accept" }),
  };
  const { client } = connect(context, answering);
  deepStrictEqual(await again(context, () => client.confirm({ id: name }, options)), {
    id: name,
    by: `who was asked: Who wants ${name}?`,
    steps: [`reserved ${name}`, `checked ${name}`],
  });
}

async function beginAndRedeem(
  context: OperationContext,
  input: { readonly n: number; readonly ms: number },
  restMs: number,
): Promise<void> {
  const first = connect(context);
  const outcome = await again(context, () => first.client.render.outcome(input));
  // A machine that is busy enough lets the work end before its budget does.
  if (outcome.kind === "answer") return strictEqual(outcome.value.n, input.n * 7 + 1);
  ok(outcome.kind === "promise", `A ${outcome.kind} instead of a promise`);
  await sleep(restMs);
  await redeemElsewhere(context, first, outcome, input.n);
}

async function redeemElsewhere(
  context: OperationContext,
  first: Connection,
  { token }: { readonly token: string },
  n: number,
): Promise<unknown> {
  const { tally } = context;
  tally.promised++;
  const second = connect(context);
  const work = second.client.$.redeem<{ readonly n: number; readonly attempt: number }>(token);
  const answer = await again(context, () => work.result());
  strictEqual(answer.n, n * 7 + 1);
  tally.redeemed++;
  if (answer.attempt > 1) tally.redelivered++;
  if (second.answeredBy() !== first.answeredBy()) tally.elsewhere++;
  context.keep({ token, answer });
  return answer;
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
