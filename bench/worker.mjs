// One contender with one workload in a separate process: checks every answer, then times rounds on request.
//
// stdin: one JSON line a round, `{"calls": 1000, "maxMs": 200}`. stdout: `{"ready": true}`, then one line a round,
// `{"nsPerCall": 3120, "cpuNsPerCall": 3300}`: by the clock, and by the processor's time in all threads, which counts the
// collector's too but not what other processes took.
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import process from "node:process";
import { createInterface } from "node:readline";
import { createInputs } from "./inputs.mjs";
import { drain, workloads } from "./tools.mjs";

const inputCount = 64;
const [contenderFile, workloadName] = process.argv.slice(2);
const contender = await import(`./contenders/${contenderFile}.mjs`);
const workload = workloads[workloadName];
const fetch = contender.createFetch(workload.tools);
const calls = createCalls();

await checkAnswers();
console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const { calls, maxMs } = JSON.parse(line);
  console.log(JSON.stringify(await timeRound(calls, maxMs)));
}

function createCalls() {
  const { tool } = workload;
  // A list has no arguments, but a distinct id for each call: a text kept for the last id must not always fit.
  const inputs = tool ? createInputs(tool.name, inputCount) : Array.from({ length: inputCount });
  return inputs.map((args, index) => {
    const call = { id: index + 1, tool: tool?.name, args, streams: tool?.stream !== undefined };
    const { url, headers, message, method = "POST" } = contender.encode(call);
    if (message === undefined) return { ...call, url, init: { method, headers } };
    // Bytes and their length, as an HTTP server hands a request over; without a length the body comes as chunked ones do.
    const body = new TextEncoder().encode(JSON.stringify(message));
    const length = workload.hidesLength ? {} : { "content-length": String(body.byteLength) };
    const fixed = { "content-type": "application/json", ...length };
    return { ...call, url, init: { method, headers: { ...fixed, ...headers }, body } };
  });
}

/** One call from request to text, which is all that the clock sees. */
async function run({ url, init }) {
  const response = await fetch(new Request(url, init));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Call failed with status ${response.status}: ${text}`);
  return text;
}

/** Throws unless every input gets the answer that its handler gives when called directly. */
async function checkAnswers() {
  const { url, init } = calls[0];
  strictEqual(
    new Request(url, init).headers.has("content-length"),
    init.body !== undefined && !workload.hidesLength,
    "content-length was dropped or added",
  );
  const texts = await Promise.all(calls.map(run));
  for (const [index, call] of calls.entries()) {
    if (call.tool === undefined) checkList(contender.decodeList(texts[index], call));
    else deepStrictEqual(contender.decodeCall(texts[index], call), await expectedAnswer(call));
  }
}

async function expectedAnswer({ args }) {
  const { tool } = workload;
  const partials = [];
  const value = tool.stream ? await drain(tool.stream(args), (partial) => void partials.push(partial)) : tool.run(args);
  return { value, partials };
}

function checkList(listed) {
  deepStrictEqual(listed.map(({ name }) => name), workload.tools.map(({ name }) => name));
  const { inputSchema } = listed.find(({ name }) => name === "add");
  deepStrictEqual(inputSchema.properties, { a: { type: "number" }, b: { type: "number" } });
}

/** Makes `count` calls, or fewer if `maxMs` is over first, and returns the mean times of one in nanoseconds. */
async function timeRound(count, maxMs) {
  const { inFlight } = workload;
  const step = inFlight === undefined ? runOne : () => runTogether(inFlight);
  // Looks at the clock now and then only, so that looking costs nothing.
  const stride = Math.max(1, Math.floor(count / 100));
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  let done = 0;
  let elapsedMs = 0;
  while (done < count && elapsedMs < maxMs) {
    for (const end = Math.min(count, done + stride); done < end; done++) await step(done);
    elapsedMs = performance.now() - startMs;
  }
  const { user, system } = process.cpuUsage(startCpu);
  const made = done * (inFlight ?? 1);
  return { nsPerCall: (elapsedMs * 1e6) / made, cpuNsPerCall: ((user + system) * 1e3) / made };
}

function runOne(index) {
  return run(calls[index % calls.length]);
}

function runTogether(inFlight) {
  return Promise.all(Array.from({ length: inFlight }, (_, index) => runOne(index)));
}
