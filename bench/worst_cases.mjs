// What a refused request costs, ÷ a good call of the same server: `node bench/worst_cases.mjs [--rounds 15]`. In process on Bun, by the
// processor's time, in turns with the good call. Ends with 1 if the median and three quarters of the rounds are above a limit.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readCount, readOptions, scale } from "./options.mjs";
import { formatSpread, formatTable, quartiles } from "./report.mjs";
import { commands, root } from "./runtimes.mjs";

/** Numbers of tools of the servers. */
const SIZES = [10, 1_000, 10_000];

/** The aim for any request. */
const AIM = 3;

/** Requests by what is wrong with them, and today's limit at each size where the aim is not reached. */
const REQUESTS = {
  "unknown tool, near": { body: callOf("tol_7", {}), held: [3, 16, 20] },
  "unknown tool, 64 letters": {
    body: callOf("get_tool_".repeat(7), {}),
    held: [3, 16, 20],
  },
  "bad input": { body: callOf("tool_7", { a: "x" }) },
  "bad JSON": { body: '{"jsonrpc":"2.0","id":1,' },
  "bad token": {
    body: callOf("tool_7", { a: 1 }),
    token: "wrong",
  },
};

const { inside, rounds } = readOptions(
  {
    inside: { type: "boolean", default: false },
    rounds: { type: "string", default: "15" },
  },
  ({ inside, rounds }) => ({ inside, rounds: readCount("--rounds", rounds) }),
);
if (inside) console.log(JSON.stringify(await measure()));
else report();

function callOf(name, args) {
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
}

function report() {
  const [command, ...args] = commands.bun(fileURLToPath(import.meta.url));
  const child = spawnSync(command, [
    ...args,
    "--inside",
    "--rounds",
    String(rounds),
  ], { cwd: root, encoding: "utf8" });
  if (child.status !== 0) {
    throw new Error(`bench/worst_cases.mjs failed: ${child.stderr}`);
  }
  let over = 0;
  const rows = JSON.parse(child.stdout).map(({ name, ratios }) => {
    const limits = REQUESTS[name].held ?? SIZES.map(() => AIM);
    const isOver = ratios.map((of, place) => quartiles(of)[0] > limits[place]);
    over += isOver.filter(Boolean).length;
    return [
      name,
      ...ratios.map((of, place) => formatSpread(of) + (isOver[place] ? " OVER" : "")),
      limits.join(" / "),
    ];
  });
  console.log(
    "Processor time of a request ÷ that of a good call of the same server (quartiles), on Bun\n",
  );
  console.log(
    formatTable([
      "request",
      ...SIZES.map((size) => `${size} tools`),
      "limits",
    ], rows),
  );
  console.log(`\n${over} above their limit; the aim is ${AIM}`);
  process.exitCode = over > 0 ? 1 : 0;
}

async function measure() {
  const { createServer, defineTool } = await import("../mod.ts");
  const { bearer } = await import("../src/integrations/auth/mod.ts");
  const v = await import("../src/core/schema/valibot.ts");
  const results = Object.keys(REQUESTS).map((name) => ({ name, ratios: [] }));
  for (const size of SIZES) {
    const tools = Array.from({ length: size }, (_, at) => {
      return defineTool(`tool_${at}`).describe("Add one").input(
        v.object({ a: v.number() }),
      ).handle(({ a }) => a + 1);
    });
    const auth = bearer((token) => token === "good" ? { id: "ada" } : undefined);
    const send = senderTo(createServer({ tools, auth, logger: false }));
    const good = { body: callOf("tool_7", { a: 1 }) };
    for (const result of results) {
      result.ratios.push(await compare(send, good, REQUESTS[result.name]));
    }
  }
  return results;
}

function senderTo(server) {
  return async ({ body, token = "good" }) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": `${body.length}`,
    };
    const request = new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers,
      body,
    });
    const response = await server.fetch(request);
    await response.text();
    return response.status;
  };
}

async function compare(send, good, other) {
  if (await send(good) !== 200 || await send(other) < 400) {
    throw new Error("A good call failed, or another one did not");
  }
  const calls = Math.ceil(2_000 * scale);
  await cpuOf(send, good, calls);
  await cpuOf(send, other, calls);
  const ratios = [];
  let before = await cpuOf(send, good, calls);
  for (let round = 0; round < rounds; round++) {
    const cost = await cpuOf(send, other, calls);
    const after = await cpuOf(send, good, calls);
    ratios.push(cost / ((before + after) / 2));
    before = after;
  }
  return ratios;
}

async function cpuOf(send, request, calls) {
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call++) await send(request);
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
