// Measures the worst cases in one runtime: `worker.mjs ROUNDS SIZES`. Prints the ratios of all rounds as JSON.
//
// A request and its base take turns, each for about as long, by the processor's time of the process.
import process from "node:process";
import { scale } from "../options.mjs";
import { BESIDE, callOf, CROWD, GOOD, mcp, REQUESTS, WORDS } from "./requests.mjs";
import { bearer, createServer, defineResource, defineTool, discover, v } from "./package.mjs";

const [rounds, sizes] = process.argv.slice(2).map((text) => JSON.parse(text));
/** Processor time of a round of one of them. */
const ROUND_US = 15_000 * scale;
const auth = bearer((token) => token === "good" ? { id: "ada", scopes: ["read"] } : undefined);

const results = { requests: {}, beside: {} };
for (const size of sizes) await measureRequests(size);
await measureBeside();
console.log(JSON.stringify(results));

async function measureRequests(size) {
  const tools = Array.from({ length: size }, (_, at) => addTool(`tool_${at}`));
  // Both lists are whole: with discover() they would have a few tools.
  const whole = senderTo(createServer({ tools, auth, logger: false }));
  const described = Array.from({ length: size }, (_, at) => describedTool(`tool_${at}`, wordsOf(at)));
  const searchedServer = (of) =>
    senderTo(createServer({ tools: of, auth, logger: false, discovery: discover({ when: "always" }) }));
  const servers = {
    searched: searchedServer(described.map((tool) => tool.handle(() => 1))),
    scoped: searchedServer(described.map((tool) => tool.scopes("read").handle(() => 1))),
    whole,
  };
  for (const [name, request] of Object.entries(REQUESTS)) {
    const send = servers[request.server ?? "whole"];
    const { status, text } = await answerOf(send, request);
    if ((status === 200) !== (request.isGood === true)) throw new Error(`${name}, ${size} tools: ${status} ${text}`);
    const base = request.base === "text" ? () => echo(request, text) : () => run(send, GOOD);
    (results.requests[name] ??= []).push(await compare(base, () => run(send, request)));
  }
}

async function measureBeside() {
  const [waiting, subscriptions, change] = Object.keys(BESIDE);
  const gate = Promise.withResolvers();
  const open = () => {
    const wait = defineTool("wait").describe("Wait").timeout(3_600_000).handle(() => gate.promise);
    const resources = [defineResource("docs://readme").title("Read me").read(() => "text")];
    const server = createServer({ tools: [addTool("tool_7"), wait], resources, auth, logger: false });
    return { server, send: senderTo(server) };
  };
  const idle = open();
  const good = () => run(idle.send, GOOD);
  const crowded = open();
  const calls = Array.from({ length: CROWD }, () => crowded.send({ body: callOf("wait", {}) }));
  results.beside[waiting] = await compare(good, () => run(crowded.send, GOOD));
  gate.resolve("done");
  for (const call of calls) if ((await call).status !== 200) throw new Error("A waiting call failed");

  const followed = open();
  const notifications = { toolsListChanged: true, resourceSubscriptions: ["docs://other"] };
  const listen = mcp("subscriptions/listen", { notifications });
  const streams = [];
  for (let count = 0; count < CROWD; count++) streams.push(await followed.send(listen));
  if (streams.some(({ status }) => status !== 200)) throw new Error("A subscription failed");
  results.beside[subscriptions] = await compare(good, () => run(followed.send, GOOD));
  const ratios = await compare(good, () => followed.server.notify.resourceUpdated("docs://readme"));
  results.beside[change] = ratios.map((ratio) => ratio / CROWD);
  // Open streams keep a process from its end.
  for (const { body } of streams) await body.cancel();
}

/** Words of which each tool has some, the first of them most often. */
function wordsOf(at) {
  return WORDS.filter((_, place) => at % (2 + place % 12) === 0 || at % 97 === place).join(" ");
}

function addTool(name) {
  return defineTool(name).describe("Add one").input(v.object({ a: v.number() })).handle(({ a }) => a + 1);
}

function describedTool(name, words) {
  return defineTool(name).describe(`Add one ${words}`).input(v.object({ a: v.number() }));
}

function senderTo(server) {
  return ({ path = "/mcp-lite/v1/calltools", body, token = "good", headers }) => {
    const fixed = { "content-type": "application/json", "content-length": `${body.length}` };
    const init = { method: "POST", headers: { authorization: `Bearer ${token}`, ...fixed, ...headers }, body };
    return server.fetch(new Request(`http://localhost${path}`, init));
  };
}

async function run(send, request) {
  await (await send(request)).text();
}

async function answerOf(send, request) {
  const response = await send(request);
  return { status: response.status, text: await response.text() };
}

/** Reads a request and sends a text, without a server. */
async function echo({ body }, text) {
  const request = new Request("http://localhost/", { method: "POST", body });
  JSON.parse(await request.text());
  await new Response(text, { headers: { "content-type": "application/json" } }).text();
}

/** The rounds' ratios of `other` to `base`, each round between two of the base. */
async function compare(base, other) {
  const baseCalls = await calibrate(base);
  const otherCalls = await calibrate(other);
  const ratios = [];
  let before = await cpuOf(base, baseCalls);
  for (let round = 0; round < rounds; round++) {
    const cost = await cpuOf(other, otherCalls);
    const after = await cpuOf(base, baseCalls);
    ratios.push(cost / ((before + after) / 2));
    before = after;
  }
  return ratios;
}

/** How many runs a round takes, once the code is compiled. */
async function calibrate(work) {
  for (let calls = 8;; calls *= 2) {
    const start = process.cpuUsage();
    const each = await cpuOf(work, calls);
    const { user, system } = process.cpuUsage(start);
    if (user + system >= 4 * ROUND_US) return Math.ceil(ROUND_US / each);
  }
}

/** Processor time of one run, in microseconds. */
async function cpuOf(work, calls) {
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call++) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}
