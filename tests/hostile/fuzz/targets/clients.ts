/** Our clients, by every protocol, of a server whose answers are damaged: each call ends, in a value or in an error of ours. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { createClient, Failure, ToolError, type UntypedClient } from "../../../../mod.ts";
import { DESCRIPTIONS, STATELESS } from "../../../wires/descriptions/all.ts";
import type { Fetch } from "../../../wires/descriptions/description.ts";
import { RandomChoices } from "../random.ts";
import { CALLS, createFixtureServer } from "../../fixture_server.ts";
import { corruptingFetch, randomCorruption, UNCHANGED } from "../../servers/corrupting_server.ts";
import type { Target } from "../target.ts";
import type { Transport } from "../../../../src/entries/wire.ts";

/** How long a call may take, in milliseconds: a corruption may send it into waiting. */
const TIMEOUT_MS = 60;

type Open = (options: { readonly fetch: Fetch }) => Transport;

type Way = (client: UntypedClient, name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

const WAYS: Readonly<Record<string, Way>> = {
  call: ({ $ }, name, args) => $.call(name, args),
  outcome: ({ $ }, name, args) => $.outcome(name, args),
  stream: async ({ $ }, name, args) => {
    const stream = $.stream(name, args);
    stream.result.catch(() => {});
    const pieces: unknown[] = [];
    for await (const piece of stream) pieces.push(piece);
    return [pieces, await stream.result];
  },
  list: ({ $ }) => $.list(),
};

/** Calls whose answers are the same each time. */
const TRUE_CALLS = CALLS.filter(({ name }) => !["ask", "slow", "boom"].includes(name));

function target(name: string, opens: readonly Open[]): Target {
  return {
    name,
    open() {
      const server = createFixtureServer([], STATELESS);
      const truth: Fetch = (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
      const clientOf = (fetch: Fetch, open: Open) => createClient(open({ fetch }), { retry: { attempts: 0 } });
      return Promise.resolve({
        make(random) {
          const corruption = randomCorruption(random);
          const called = random.pick(corruption === UNCHANGED ? TRUE_CALLS : CALLS);
          const way = random.pick(corruption === UNCHANGED ? ["call", "stream", "list"] : Object.keys(WAYS));
          const open = random.pick(opens);
          const corruptionSeed = random.below(2 ** 31);
          const run = async (fetch: Fetch, timeoutMs: number) => {
            const client = createClient(open({ fetch }), { retry: { attempts: 0 }, timeoutMs });
            try {
              return { value: await (WAYS[way] as Way)(client, called.name, called.arguments) };
            } catch (thrown) {
              return { thrown };
            } finally {
              client.$.close();
            }
          };
          return {
            describe: () =>
              `${way} ${called.name}: ${corruption.name} of answer ${corruption.at}, ${opens.indexOf(open)}`,
            async send() {
              if (corruption !== UNCHANGED) {
                const ended = await run(
                  corruptingFetch(new RandomChoices(corruptionSeed), truth, corruption),
                  TIMEOUT_MS,
                );
                return () => judge(ended);
              }
              const reported = await run(corruptingFetch(new RandomChoices(corruptionSeed), truth, corruption), 30_000);
              const plain = await run(truth, 30_000);
              return () => {
                deepStrictEqual(reported, plain);
                return "as it was told";
              };
            },
          };
        },
        async isAlive() {
          for (const open of opens) {
            deepStrictEqual(await clientOf(truth, open).$.call("add", { a: 1, b: [2] }), 3);
          }
        },
        close: () => server.close(0),
      });
    },
  };
}

function judge(ended: { readonly value?: unknown; readonly thrown?: unknown }): string {
  if (!("thrown" in ended)) return "value";
  const { thrown } = ended;
  if (thrown instanceof Failure) return "failure";
  ok(
    thrown instanceof ToolError,
    thrown instanceof Error ? `${thrown.name}: ${thrown.message} ${thrown.stack}` : String(thrown),
  );
  ok(typeof thrown.code === "string" && typeof thrown.message === "string");
  return thrown.code;
}

/** One for each wire with transports over `fetch`. Transports with sessions keep streams open, which cannot be damaged as a whole. */
export const clientTargets: readonly Target[] = DESCRIPTIONS.flatMap(({ name, clients = [] }) => {
  const opens = clients.filter(({ isHttp2, needsSessions }) => !isHttp2 && !needsSessions)
    .map(({ path, open }): Open => (options) => open(`http://localhost${path}`, options));
  return opens.length === 0 ? [] : [target(`client-${name.toLowerCase()}`, opens)];
});
