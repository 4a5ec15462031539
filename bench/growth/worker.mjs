// One point of one series in a separate process: `worker.mjs <series> <size>`. Prints what it costs, as JSON: processor time in
// nanoseconds, memory in bytes of heap, or a ratio where it says so.
import process from "node:process";
import { createCounter, createTools } from "../tools.mjs";
import * as http from "../contenders/toolwire.mjs";
import * as mcp from "../contenders/toolwire_mcp.mjs";

const [series, sizeText] = process.argv.slice(2);
const size = Number(sizeText);
const textEncoder = new TextEncoder();
/** A sample's aim: enough for a clock of microseconds, and for the compiler to have seen the code. */
const sampleNs = 60e6;

const measures = {
  async tools() {
    const tools = createTools(size);
    const emptyBytes = readHeapBytes();
    const startNs = readCpuNs();
    const overHttp = http.createToolwire(tools);
    const overMcp = mcp.createToolwire(tools);
    const constructionNs = (readCpuNs() - startNs) / 2;
    const lastPage = await readLastPage(overMcp);
    const bytes = (readHeapBytes() - emptyBytes) / 2;
    const call = toRequest(http, { id: 1, tool: "add", args: { a: 1, b: 2 } });
    return {
      "a call": await measure(overHttp, call),
      "a page of the list, ÷ its text": await measureAgainstText(overMcp, lastPage),
      "the whole list, ÷ its text": await measureAgainstText(overHttp, toRequest(http, { id: 1 })),
      construction: constructionNs,
      memory: bytes,
    };
  },

  async arguments() {
    const text = { name: "text", description: "Measure a text", input: (kit) => kit.object({ text: kit.string() }) };
    const list = {
      name: "list",
      description: "Count lines",
      input: (kit) => kit.object({ lines: kit.array(kit.object({ sku: kit.string(), quantity: kit.count() })) }),
    };
    const server = http.createToolwire([
      { ...text, run: ({ text }) => text.length },
      { ...list, run: ({ lines }) => lines.length },
    ]);
    const line = { sku: "amber-1", quantity: 1 };
    const lines = Array.from({ length: Math.max(1, Math.round(size / JSON.stringify(line).length)) }, () => line);
    return {
      text: await measure(server, toRequest(http, { id: 1, tool: "text", args: { text: "a".repeat(size) } })),
      "a list of objects": await measure(server, toRequest(http, { id: 1, tool: "list", args: { lines } })),
    };
  },

  async streams() {
    const gate = Promise.withResolvers();
    const held = {
      name: "held",
      description: "Wait in the middle of a stream",
      input: (kit) => kit.object({}),
      stream: async function* () {
        yield "first";
        await gate.promise;
        return "last";
      },
    };
    const server = http.createToolwire([createCounter("count", 100), held]);
    const stream = toRequest(http, { id: 1, tool: "count", args: { topic: "harbour" }, streams: true });
    const open = toRequest(http, { id: 1, tool: "held", args: {}, streams: true });
    await (await startReading(server, open)).cancel();
    const emptyBytes = readHeapBytes();
    const readers = await Promise.all(Array.from({ length: size }, () => startReading(server, open)));
    const bytes = readHeapBytes() - emptyBytes;
    gate.resolve();
    for (const reader of readers) while (!(await reader.read()).done);
    const together = () => Promise.all(Array.from({ length: size }, () => ask(server, stream)));
    return { "all of them": await measureWork(together), "memory while open": bytes };
  },
};

console.log(JSON.stringify(await measures[series]()));
process.exit(0);

function toRequest(wire, call, cursor) {
  const { url, headers, message } = wire.encode(call);
  if (cursor !== undefined) message.params.cursor = cursor;
  const body = textEncoder.encode(JSON.stringify(message));
  const fixed = { "content-type": "application/json", "content-length": String(body.byteLength) };
  return { url, init: { method: "POST", headers: { ...fixed, ...headers }, body } };
}

/** @returns the request for the last page; throws unless the pages hold every tool. */
async function readLastPage(server) {
  let request = toRequest(mcp, { id: 1 });
  for (let listed = 0;;) {
    const { tools, nextCursor } = JSON.parse(await ask(server, request)).result;
    listed += tools.length;
    if (nextCursor !== undefined) request = toRequest(mcp, { id: 1 }, nextCursor);
    else if (listed === size) return request;
    else throw new Error(`${listed} tools were listed, not ${size}`);
  }
}

async function ask(server, { url, init }) {
  const response = await server.fetch(new Request(url, init));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Call failed with status ${response.status}: ${text}`);
  return text;
}

async function startReading(server, { url, init }) {
  const reader = (await server.fetch(new Request(url, init))).body.getReader();
  await reader.read();
  return reader;
}

function measure(server, request) {
  return measureWork(() => ask(server, request));
}

/** ÷ what the runtime takes to answer with the same text, which on Node grows by itself, since long texts are copied and collected. */
async function measureAgainstText(server, request) {
  const text = await ask(server, request);
  const init = { headers: { "content-type": "application/json" } };
  const bare = {
    async fetch(request) {
      await request.text();
      return new Response(text, init);
    },
  };
  return await measure(server, request) / await measure(bare, request);
}

/** The median of five samples, after one that warms up. */
async function measureWork(work) {
  let runs = 1;
  const samples = [];
  while (samples.length < 5) {
    const startNs = readCpuNs();
    for (let run = 0; run < runs; run++) await work();
    const ns = readCpuNs() - startNs;
    // Too short for this clock: more of them, which warms up as well.
    if (ns < sampleNs / 2) runs *= 2;
    else samples.push(ns / runs);
  }
  return samples.sort((left, right) => left - right)[2];
}

function readCpuNs() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

function readHeapBytes() {
  if (globalThis.Bun) Bun.gc(true);
  else globalThis.gc();
  return process.memoryUsage().heapUsed;
}
