// What the servers over HTTP serve, and what they are asked.
import { createInputs } from "../inputs.mjs";
import { createCounter, makeAsync, workloads as inProcess } from "../tools.mjs";

const add = inProcess.add.tool;
const placeOrder = inProcess.medium.tool;

/** Answers with so many bytes of text. */
function createReader(name, bytes) {
  const text = "amber basil cedar ".repeat(Math.ceil(bytes / 18)).slice(0, bytes);
  return {
    name,
    description: "Read a page",
    input: (kit) => kit.object({ topic: kit.string() }),
    run: ({ topic }) => ({ topic, text }),
  };
}

const topic = [{ topic: "harbour" }];

/** `calls` are those of a round, where the server keeps up; `flights` how many connections ask at once. */
export const workloads = {
  add: { tool: add, inputs: createInputs("add", 8), calls: 4000, flights: [1, 64] },
  medium: { tool: placeOrder, inputs: createInputs("place_order", 8), calls: 2000, flights: [1, 64] },
  "10kB": { tool: createReader("read_page", 10_000), inputs: topic, calls: 2000, flights: [1, 64] },
  "1MB": { tool: createReader("read_book", 1_000_000), inputs: topic, calls: 100, flights: [1] },
  sse1: { tool: createCounter("count_1", 1), inputs: topic, calls: 2000, flights: [1, 64] },
  sse100: { tool: createCounter("count_100", 100), inputs: topic, calls: 200, flights: [1, 64] },
  sse10000: { tool: createCounter("count_10000", 10_000), inputs: topic, calls: 4, flights: [1] },
};

/** 20 MB of stream: more than a socket holds for someone who does not read. */
export const flood = { tool: createCounter("flood", 20_000), inputs: [{ topic: "harbour ".repeat(125) }] };

/** With async handlers, as most are. */
export const tools = makeAsync([...Object.values(workloads), flood].map(({ tool }) => tool));
