// The tools that every contender serves: schema and handler are shared, only the wiring differs.

const partialCount = 100;
const listedCount = 100;

const add = {
  name: "add",
  description: "Add two numbers",
  input: (kit) => kit.object({ a: kit.number(), b: kit.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
};

const placeOrder = {
  name: "place_order",
  description: "Place an order and return its total",
  input: (kit) => {
    const address = kit.object({
      name: kit.string(),
      street: kit.string(),
      city: kit.string(),
      postcode: kit.string(),
      country: kit.choice(["DE", "FR", "NL", "PT"]),
    });
    const line = kit.object({
      sku: kit.string(),
      title: kit.string(),
      quantity: kit.count(),
      unit_price: kit.amount(),
      gift: kit.boolean(),
    });
    return kit.object({
      id: kit.string(),
      currency: kit.choice(["EUR", "USD"]),
      customer: kit.object({ name: kit.string(), email: kit.string(), verified: kit.boolean(), address }),
      shipping: kit.object({ method: kit.choice(["standard", "express", "pickup"]), address }),
      lines: kit.array(line),
      tags: kit.array(kit.string()),
      note: kit.string(),
    });
  },
  run: ({ id, currency, lines }) => ({
    id,
    currency,
    total: lines.reduce((sum, line) => sum + line.quantity * line.unit_price, 0),
  }),
};

/** A tool that streams so many lines. */
export function createCounter(name, lines) {
  return {
    name,
    description: "Stream numbered lines, then say how many there were",
    input: (kit) => kit.object({ topic: kit.string() }),
    stream: async function* ({ topic }) {
      for (let index = 1; index <= lines; index++) yield `${topic} ${index}`;
      return { lines };
    },
  };
}

const count = createCounter("count", partialCount);

/** A tool that is only listed, so that a server has more than one to show and to look up. */
function createFiller(index) {
  return {
    name: `search_archive_${index}`,
    description: `Search archive ${index} for documents that match a query`,
    input: (kit) =>
      kit.object({
        query: kit.string(),
        tags: kit.array(kit.string()),
        limit: kit.count(),
        order: kit.choice(["newest", "oldest", `score_${index}`]),
      }),
    run: ({ query }) => ({ archive: index, query }),
  };
}

/** So many tools, `add` in their middle: a lookup that walks the list is neither spared nor punished. */
export function createTools(count) {
  const fillers = Array.from({ length: count - 1 }, (_, index) => createFiller(index));
  return fillers.toSpliced(count >> 1, 0, add);
}

const hundred = createTools(listedCount);

/** The same tools, whose handlers are async functions in every contender. */
export const makeAsync = (tools) => tools.map((tool) => ({ ...tool, isAsync: true }));

/** What a workload serves, what it asks, and how many calls make one round. */
const plain = {
  add: { tools: [add], tool: add, calls: 8000 },
  medium: { tools: [placeOrder], tool: placeOrder, calls: 4000 },
  list: { tools: hundred, calls: 4000 },
  add100: { tools: hundred, tool: add, calls: 8000 },
  sse: { tools: [count], tool: count, calls: 400 },
  conc64: { tools: [add], tool: add, calls: 120, inFlight: 64 },
};

const asAsync = (workload) => ({ ...workload, tools: makeAsync(workload.tools) });

/** A list has no handler, and a stream's is a generator, which is asynchronous always. */
export const workloads = {
  ...plain,
  "add-async": asAsync(plain.add),
  "medium-async": asAsync(plain.medium),
  "add100-async": asAsync(plain.add100),
  "conc64-async": asAsync(plain.conc64),
  "add-nolength": { ...plain.add, hidesLength: true },
};

/**
 * The handler that a contender registers: one function, synchronous or async as the tool is, which makes what the library wants of
 * the answer.
 */
export function toHandler({ run, isAsync }, toResult) {
  if (toResult === undefined) {
    // deno-lint-ignore require-await -- the promise is what is measured
    return isAsync ? async (args) => run(args) : (args) => run(args);
  }
  // deno-lint-ignore require-await -- the promise is what is measured
  return isAsync ? async (args) => toResult(run(args)) : (args) => toResult(run(args));
}

/** Runs a streaming handler to its end: gives each partial to `push` and returns the answer. */
export async function drain(pieces, push) {
  while (true) {
    const { done, value } = await pieces.next();
    if (done) return value;
    await push(value);
  }
}
