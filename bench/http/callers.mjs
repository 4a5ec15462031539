// Callers beside each other, each against its own library's server, and each beside a bare `fetch` to that server, with the same
// question: prints the time of a call ÷ the bare one's, of each round, as JSON.
// `callers.mjs <{ library: { url, file } } as JSON> <workload> <in flight> <rounds> <calls>`.
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import { createTRPCClient, httpLink } from "@trpc/client";
import { hc } from "hono/client";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import process from "node:process";
import { timeCallers } from "../caller_rounds.mjs";
import { createClient } from "../grpc/package.mjs";
import { drain } from "../tools.mjs";
import { createRequest, expected } from "./check.mjs";
import { workloads } from "./tools.mjs";

const [, , calleesJson, workload, ...counts] = process.argv;
const callees = JSON.parse(calleesJson);
const { tool, inputs } = workloads[workload];
const { name, stream } = tool;

const client = createClient(`${callees.toolwire.url}/mcp-lite/v1`);
const trpc = createTRPCClient({ links: [httpLink({ url: `${callees.tRPC.url}/rpc` })] });
const orpc = createORPCClient(new RPCLink({ url: `${callees.oRPC.url}/rpc` }));
const hono = hc(callees["hono RPC"].url);

/** By library. A caller of a stream gives all its pieces and the answer, the others the answer. */
const own = stream
  ? {
    toolwire: async (args) => {
      const pieces = client[name].stream(args);
      const partials = await Array.fromAsync(pieces);
      return { partials, value: await pieces.result };
    },
    oRPC: async (args) => {
      const partials = [];
      return { value: await drain(await orpc[name](args), (partial) => void partials.push(partial)), partials };
    },
  }
  : {
    toolwire: (args) => client[name](args),
    tRPC: (args) => trpc[name].mutate(args),
    oRPC: (args) => orpc[name](args),
    "hono RPC": async (args) => {
      const response = await hono.rpc[name].$post({ json: args });
      strictEqual(response.status, 200);
      return response.json();
    },
  };

const callers = {};
for (const [library, call] of Object.entries(own)) {
  const contender = await import(`../contenders/${callees[library].file}.mjs`);
  const { read, bare } = createBare(contender, callees[library].url);
  const answer = await expected(tool, inputs[0]);
  deepStrictEqual(contender.decodeCall(...await read(inputs[0])), answer);
  deepStrictEqual(await call(inputs[0]), stream ? answer : answer.value);
  callers[`${library}, bare`] = bare;
  callers[library] = call;
}

/** What the library's client asks, with no library. */
function createBare(contender, url) {
  const read = async (args) => {
    const { call, url: target, ...init } = createRequest(contender, url, tool, args, 1);
    const response = await fetch(target, init);
    strictEqual(response.status, 200);
    return [await response.text(), call];
  };
  const bare = async (args) => {
    const [text] = await read(args);
    // The least that a caller of a stream does: every event's data, parsed.
    return stream ? text.match(/(?<=^data: ).+/gm).map((data) => JSON.parse(data)) : JSON.parse(text);
  };
  return { read, bare };
}

const [inFlight, rounds, calls] = counts.map(Number);
const rates = await timeCallers(callers, inputs, { inFlight, rounds, calls });
const toRatios = (library) => rates[library].map((rate, round) => rates[`${library}, bare`][round] / rate);
console.log(JSON.stringify(Object.fromEntries(Object.keys(own).map((library) => [library, toRatios(library)]))));
process.exit(0);
