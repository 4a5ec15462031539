/** Our clients, by every protocol, of a server whose answers are damaged: each call ends, in a value or in an error of ours. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { createClient, Failure, mcpLiteTransport, ToolError, type UntypedClient } from "../../../mod.ts";
import { connectTransport, grpcWebTransport } from "../../../src/wires/grpc/mod.ts";
import { mcpTransport } from "../../../src/wires/mcp/mod.ts";
import { webtoolsTransport } from "../../../src/wires/webtools/mod.ts";
import { Dice } from "../dice.ts";
import { CALLS, createHouse } from "../house.ts";
import { anyLie, type Fetch, lyingFetch, TRUTH } from "../liar.ts";
import type { Target } from "../target.ts";
import type { Transport } from "../../../src/wires/mod.ts";

/** How long a call may take, in milliseconds: a lie may send it into waiting. */
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
      const house = createHouse([]);
      const truth: Fetch = (url, init) => house.fetch(new Request(url, { ...init, redirect: "follow" }));
      const clientOf = (fetch: Fetch, open: Open) => createClient(open({ fetch }), { retry: { attempts: 0 } });
      return Promise.resolve({
        make(dice) {
          const lie = anyLie(dice);
          const called = dice.pick(lie === TRUTH ? TRUE_CALLS : CALLS);
          const way = dice.pick(lie === TRUTH ? ["call", "stream", "list"] : Object.keys(WAYS));
          const open = dice.pick(opens);
          const lieSeed = dice.below(2 ** 31);
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
            describe: () => `${way} ${called.name}: ${lie.name} of answer ${lie.at}, ${opens.indexOf(open)}`,
            async send() {
              if (lie !== TRUTH) {
                const ended = await run(lyingFetch(new Dice(lieSeed), truth, lie), TIMEOUT_MS);
                return () => judge(ended);
              }
              const told = await run(lyingFetch(new Dice(lieSeed), truth, lie), 30_000);
              const plain = await run(truth, 30_000);
              return () => {
                deepStrictEqual(told, plain);
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
        close: () => house.close(0),
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

const HOST = "http://localhost";

/** One a protocol. */
export const clientTargets: readonly Target[] = [
  target("client-http", [(options) => mcpLiteTransport(`${HOST}/mcp-lite/v1`, options)]),
  target("client-mcp", [
    (options) => mcpTransport(`${HOST}/mcp`, { ...options, era: "modern" }),
    (options) => mcpTransport(`${HOST}/stateless`, { ...options, era: "legacy" }),
    (options) => mcpTransport(`${HOST}/stateless`, options),
  ]),
  target("client-connect", [
    (options) => connectTransport(HOST, options),
    (options) => connectTransport(HOST, { ...options, format: "binary" }),
  ]),
  target("client-grpc-web", [(options) => grpcWebTransport(HOST, options)]),
  target("client-webtools", [
    (options) => webtoolsTransport(`${HOST}/webtools/house`, options),
    (options) => webtoolsTransport(`${HOST}/webtools/house`, { ...options, validate: false }),
  ]),
];
