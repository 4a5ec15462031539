// The arguments of every call, from a seed: the same for each contender, runtime and run.

const seed = 20260728;

/** A small seeded generator (mulberry32): numbers in [0, 1). */
function createRandom(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = "amber basil cedar delta ember fjord grove harbour indigo juniper kestrel linen maple nectar opal pearl"
  .split(" ");

/** Makes `count` argument objects for the named tool. */
export function createInputs(toolName, count) {
  const random = createRandom(seed);
  const integer = (below) => Math.floor(random() * below);
  const pick = (list) => list[integer(list.length)];
  const text = (length) => Array.from({ length }, () => pick(words)).join(" ");
  const make = makers[toolName];
  return Array.from({ length: count }, () => make({ integer, pick, text }));
}

const makers = {
  add: ({ integer }) => ({ a: integer(1_000_000), b: integer(1_000_000) }),
  count: ({ text }) => ({ topic: text(3) }),
  place_order: placeOrder,
};

/** About 1.9 kB of JSON with 40 leaf values, four levels deep. */
function placeOrder({ integer, pick, text }) {
  const address = () => ({
    name: text(2),
    street: `${text(2)} ${integer(200)}`,
    city: pick(words),
    postcode: String(10_000 + integer(89_999)),
    country: pick(["DE", "FR", "NL", "PT"]),
  });
  const line = () => ({
    sku: `${pick(words)}-${integer(10_000)}`,
    title: text(12),
    quantity: 1 + integer(9),
    unit_price: integer(100_000) / 100,
    gift: integer(2) === 1,
  });
  return {
    id: `order-${integer(1_000_000)}`,
    currency: pick(["EUR", "USD"]),
    customer: { name: text(2), email: `${pick(words)}@example.com`, verified: integer(2) === 1, address: address() },
    shipping: { method: pick(["standard", "express", "pickup"]), address: address() },
    lines: Array.from({ length: 4 }, line),
    tags: [pick(words), pick(words), pick(words)],
    note: text(135),
  };
}
