/**
 * A client of gRPC that closes nothing: `grpc_client_program.ts <address> <what>`. It has to end by itself.
 *
 * It prints what became of its calls.
 */
import process from "node:process";
import { createClient } from "../../mod.ts";
import { grpcTransport } from "../../src/entries/grpc.ts";

const [, , address = "", what = ""] = process.argv;
const client = createClient(grpcTransport(address), { retry: { attempts: 0 } });
const settled = (call: Promise<unknown>) => call.then(JSON.stringify, (error: { code?: string }) => error.code);

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  answered: () => settled(client.$.call("echo", { a: 1 })),
  late: () => settled(client.$.call("nap", { ms: 300 })),
  streamed: () => settled(client.$.stream("count", { to: 3 }).result),
  async left() {
    for await (const piece of client.$.stream("drip")) if (piece === 2) break;
    return "left";
  },
  // Its connection is made, and never used.
  forbidden: () =>
    settled(createClient(grpcTransport(address, { headers: { connection: "close" } })).$.call("echo", { a: 1 })),
  timed: () => settled(client.$.call("nap", { ms: 600_000 }, { timeoutMs: 200 })),
};

const reply = await ways[what]?.();
// Where the connection was not lost, a further call goes over it.
process.stdout.write(`${what}: ${reply}; ${await settled(client.$.call("echo", {}))}\n`);
