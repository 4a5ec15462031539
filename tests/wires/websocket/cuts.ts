/**
 * Calls over WebSockets whose connections are cut after a random number of bytes, through a proxy: every call ends with its answer or a
 * named error, and no call that is not safe to repeat runs twice.
 *
 * `bun tests/wires/websocket/cuts.ts 1000 7` makes 1,000 cuts with the seed 7.
 */
import { strictEqual } from "node:assert/strict";
import { type AddressInfo, connect, createServer as createProxy, type Socket } from "node:net";
import process from "node:process";
import * as v from "../../../src/entries/schema.ts";
import { type Client, createClient, createServer, defineTool, Failure, type Server, ToolError } from "../../../mod.ts";
import { RandomChoices } from "../../hostile/fuzz/random.ts";
import { serve } from "../../../src/entries/serve.ts";
import { webSocket, webSocketTransport } from "../../../src/entries/websocket.ts";

/** What happened. */
export interface CutReport {
  /** Connections that were cut. */
  readonly cuts: number;
  /** Calls that ended with their answer. */
  readonly answers: number;
  /** Calls that ended with an error, by its code. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Number of clients that call at the same time. */
const CLIENTS = 8;
/** Maximum number of bytes, both ways, before a connection is cut. A handshake has some 500. */
const MAX_BYTES = 12_000;
/** Time after which a call is stuck, in milliseconds. */
const STUCK_MS = 60_000;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

/** A server that counts how often it ran each call. */
function createCounted() {
  const runs = new Map<string, number>();
  const ran = (id: unknown): void => void runs.set(String(id), (runs.get(String(id)) ?? 0) + 1);
  const id = { id: v.string() };
  const server = createServer({
    tools: [
      defineTool("look").describe("Safe to repeat").annotate({ readOnlyHint: true }).input(v.object(id))
        .handle(async ({ id }) => {
          await pause();
          return `${id}${"x".repeat(3_000)}`;
        }),
      defineTool("pay").describe("Not safe to repeat").input(v.object(id)).handle(async ({ id }) => {
        ran(id);
        await pause();
        return id;
      }),
      defineTool("count").describe("Stream").input(v.object(id)).handle(async function* ({ id }) {
        ran(id);
        for (let at = 0; at < 10; at++) {
          await pause();
          yield at;
        }
      }),
      defineTool("build").describe("Promised work").input(v.object(id)).promise({ budgetMs: 1 }).handle(
        async ({ id }) => {
          ran(id);
          await new Promise((resolve) => setTimeout(resolve, 5));
          return id;
        },
      ),
      defineTool("ask").describe("Ask the caller").input(v.object(id)).handle(async ({ id }, ctx) => {
        const answer = await ctx.elicit("name", { message: "Which name?", schema: v.object({ name: v.string() }) });
        ran(id);
        return `${id} ${answer.action === "accept" ? answer.content.name : ""}`;
      }),
    ],
    wires: [webSocket()],
    keys: "k1:a secret for the calls that are cut off",
    logger: false,
  });
  return { server, runs };
}

/** A proxy that ends connections after a random number of bytes while there are cuts left. */
async function startProxy(port: number, random: RandomChoices, cuts: number) {
  let left = cuts;
  const sockets = new Set<Socket>();
  const proxy = createProxy((near) => {
    const far = connect(port, "127.0.0.1");
    let bytes = left > 0 ? random.below(MAX_BYTES) : Infinity;
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    const forward = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on("data", (chunk: Uint8Array) => {
        const taken = chunk.subarray(0, Math.min(chunk.length, bytes));
        bytes -= chunk.length;
        if (bytes > 0) return void to.write(taken);
        if (!from.destroyed && left > 0) left--;
        to.end(taken, end);
        setTimeout(end, 20);
      });
      from.on("close", () => {
        sockets.delete(from);
        end();
      });
      from.on("error", end);
    };
    forward(near, far);
    forward(far, near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    left: () => left,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      proxy.close();
    },
  };
}

type Call = (client: Client<Server>["$"], id: string) => Promise<void>;

/** Each makes one call, and checks its answer. */
const CALLS: readonly Call[] = [
  async (client, id) => strictEqual(await client.call("look", { id }), `${id}${"x".repeat(3_000)}`),
  async (client, id) => strictEqual(await client.call("pay", { id }), id),
  async (client, id) => {
    let next = 0;
    for await (const piece of client.stream("count", { id })) strictEqual(piece, next++);
    strictEqual(next, 10);
  },
  async (client, id) => strictEqual(await client.call("build", { id }), id),
  async (client, id) => strictEqual(await client.call("ask", { id }), `${id} Ada`),
  async (client, id) => strictEqual(await client.call("pay", { id }, { idempotencyKey: id }), id),
];

/** Makes calls until so many connections were cut. */
export async function makeCuts(cuts: number, seed: number): Promise<CutReport> {
  const random = new RandomChoices(seed);
  const { server, runs } = createCounted();
  const listening = await serve(server, { port: 0, graceMs: 0 });
  const proxy = await startProxy(listening.port, random, cuts);
  const errors: Record<string, number> = {};
  let [answers, lastId] = [0, 0];
  const callOnce = async ({ $ }: Pick<Client<Server>, "$">): Promise<void> => {
    const id = `call ${++lastId}`;
    const call = random.pick(CALLS);
    const stuck = Promise.withResolvers<never>();
    const timer = setTimeout(() => stuck.reject(new Error(`${id} has not ended`)), STUCK_MS);
    try {
      await Promise.race([call($, id), stuck.promise]);
      answers++;
    } catch (thrown) {
      if (!(thrown instanceof ToolError || thrown instanceof Failure)) throw thrown;
      errors[thrown.code] = (errors[thrown.code] ?? 0) + 1;
    } finally {
      clearTimeout(timer);
    }
    strictEqual((runs.get(id) ?? 0) <= 1, true, `${id} has run ${runs.get(id)} times`);
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      const transport = webSocketTransport(`ws://127.0.0.1:${proxy.port}`);
      const client = createClient<Server>(transport, {
        retry: { attempts: 5, baseDelayMs: 1 },
        onElicitation: () => ({ action: "accept", content: { name: "Ada" } }),
      });
      while (proxy.left() > 0) await Promise.all([callOnce(client), callOnce(client), callOnce(client)]);
      transport.close();
    }));
  } finally {
    proxy.close();
    await listening.close();
  }
  return { cuts: cuts - proxy.left(), answers, errors };
}

if (import.meta.main) {
  const [cuts = 1_000, seed = 1] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await makeCuts(cuts, seed)));
}
