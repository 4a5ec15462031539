/** Answers within a budget, over every wire: pages of whole items, and handles that any replica reads, for their caller only. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { type Client, createClient, createServer, defineTool, type ToolError } from "../../mod.ts";
import { budget, cursorOf } from "../../src/entries/answers.ts";
import { bearer } from "../../src/entries/auth.ts";
import { estimateTextTokens } from "../../src/internal/token_estimate.ts";
import { overlap } from "../overlap.ts";
import { COMPOSED, isChosen, skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

const MAX_TOKENS = 1_000;
const ROWS = 1_000_000;
const TEXT = Array.from({ length: 200 }, (_, line) => `${line}: a line of a text, with 😀 and "quotes"`).join("\n");

let rows: { id: number; title: string }[] | undefined;

/** The rows, made once: a million. */
function allRows() {
  return rows ??= Array.from({ length: ROWS }, (_, id) => ({ id, title: `Row ${id}` }));
}

/** Number of runs of `list_changing`, by its argument. */
const runs = new Map<string, number>();

const Row = v.object({ id: v.number(), title: v.string() });

/** A replica: servers with the same tools and keys. Parts of other servers have no authentication. */
function createReplica(hasCallers: boolean) {
  const limited = budget({ maxTokens: MAX_TOKENS });
  const tools = [
    defineTool("list_rows").describe("List rows").input(v.object({ count: v.number() })).output(v.array(Row))
      .annotate({ readOnlyHint: true }).answer(limited).handle(({ count }) =>
        count === ROWS ? allRows() : allRows().slice(0, count)
      ),
    defineTool("list_parts").describe("List rows, part by part").input(v.object({ parts: v.number() }))
      .annotate({ readOnlyHint: true }).answer(limited).handle(async ({ parts }, ctx) => {
        const part = Number(cursorOf(ctx) ?? 0);
        await Promise.resolve();
        const items = Array.from({ length: 70 }, (_, index) => ({ id: part * 70 + index, title: "A row of a part" }));
        return { items, total: parts * 70, ...(part + 1 < parts && { next: part + 1 }) };
      }),
    defineTool("find_rows").describe("Find rows").output(v.object({ total_count: v.number(), rows: v.array(Row) }))
      .annotate({ readOnlyHint: true }).answer(budget({ maxTokens: MAX_TOKENS, items: "rows", format: "table" }))
      .handle(() => ({ total_count: 9_000, rows: allRows().slice(0, 300) })),
    defineTool("list_changing").describe("List rows, at each run without the first").input(v.object({ id: v.string() }))
      .annotate({ readOnlyHint: true }).answer(limited).handle(({ id }) => {
        const count = runs.get(id) ?? 0;
        runs.set(id, count + 1);
        return allRows().slice(count, 200);
      }),
    defineTool("read_text").describe("Read a text").output(v.string()).annotate({ readOnlyHint: true })
      .answer(limited).handle(() => TEXT),
    defineTool("list_texts").describe("List texts").annotate({ readOnlyHint: true }).answer(limited)
      .handle(() => ["first", "a word ".repeat(2_000), "last"]),
    defineTool("whoami").describe("Whose rows").scopes("rows").annotate({ readOnlyHint: true }).answer(limited)
      .handle((_, { principal }) => Array.from({ length: 300 }, (_, id) => `${principal?.id} ${id}`)),
  ] as const;
  return createServer({
    tools,
    wires,
    logger: false,
    keys: "k1:a secret that all of these replicas know",
    ...(hasCallers && { auth: bearer((id) => ({ id, scopes: ["rows"] }), { allowAnonymous: true }) }),
  });
}

type Replica = ReturnType<typeof createReplica>;

interface Page {
  readonly items?: readonly unknown[];
  readonly text?: string;
  readonly total?: number;
  readonly more?: string;
  readonly note?: string;
  readonly changed?: true;
  readonly total_count?: number;
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly unknown[])[];
}

/** Maximum growth of an answer by two gateways, each of which wraps its handle. */
const WRAPPED_TOKENS = 300;

/** Follows the handles of a page, each with the client that `next` returns. */
async function* follow(first: Page, maxTokens: number, next: () => Client<Replica>): AsyncGenerator<Page> {
  for (let page = first;; page = await next().$.call("more", { handle: page.more }) as Page) {
    ok(estimateTextTokens(JSON.stringify(page)) <= maxTokens);
    yield page;
    if (page.more === undefined) return;
  }
}

const SCENARIOS: Readonly<
  Record<string, (one: Client<Replica>, other: Client<Replica>, maxTokens: number) => Promise<void>>
> = {
  async "a million rows are answered within the budget"(client, _, maxTokens) {
    const page = await client.list_rows({ count: ROWS });
    ok(estimateTextTokens(JSON.stringify(page)) <= maxTokens);
    ok(page.items.length > 20 && page.total === ROWS && page.more !== undefined);
    deepStrictEqual(page.items, allRows().slice(0, page.items.length));
  },

  async "handles give each row exactly once, each from another replica"(one, other, maxTokens) {
    const items: unknown[] = [];
    let at = 0;
    const first = await one.list_rows({ count: 501 });
    for await (const page of follow(first, maxTokens, () => at++ % 2 === 0 ? other : one)) {
      items.push(...page.items ?? []);
    }
    deepStrictEqual(items, allRows().slice(0, 501));
    ok(at > 3);
  },

  async "the client iterates over all items"(client) {
    const ids: number[] = [];
    for await (const { id } of client.list_rows.items({ count: 130 })) ids.push(id);
    deepStrictEqual(ids, Array.from({ length: 130 }, (_, id) => id));
    for await (const _ of client.list_rows.items({ count: 0 })) throw new Error("there are no rows");
  },

  async "a handler gives its list in parts"(one, other, maxTokens) {
    const ids: unknown[] = [];
    const first = await one.list_parts({ parts: 3 });
    strictEqual(first.total, 210);
    for await (const page of follow(first, maxTokens, () => other)) {
      ids.push(...(page.items as { id: number }[]).map(({ id }) => id));
    }
    deepStrictEqual(ids, Array.from({ length: 210 }, (_, id) => id));
  },

  async "a list in an object keeps the other members, as a table, and the client's items are objects"(
    one,
    other,
    maxTokens,
  ) {
    const ids: unknown[] = [];
    const first = await one.find_rows();
    ok(first.note?.startsWith(`Items 1 to ${first.rows.length} of 300; `));
    for await (const page of follow(first, maxTokens, () => other)) {
      deepStrictEqual([page.total_count, page.columns], [9_000, ["id", "title"]]);
      ids.push(...(page.rows ?? []).map(([id]) => id));
    }
    deepStrictEqual(ids, Array.from({ length: 300 }, (_, id) => id));
    const titles: string[] = [];
    for await (const { title } of one.find_rows.items()) titles.push(title);
    deepStrictEqual([titles.length, titles[299]], [300, "Row 299"]);
  },

  async "a page after a change of the list says so"(one, other) {
    const { more, changed } = await one.list_changing({ id: crypto.randomUUID() });
    strictEqual(changed, undefined);
    const next = await other.$.call("more", { handle: more }) as Page;
    strictEqual(next.changed, true);
    ok(next.note?.startsWith("What comes before this page has changed"));
  },

  async "a text is cut at lines"(one, other, maxTokens) {
    const parts: string[] = [];
    for await (const { text = "", total, more } of follow(await one.read_text(), maxTokens, () => other)) {
      ok(more === undefined || text.endsWith("\n"));
      strictEqual(total, TEXT.length);
      parts.push(text);
    }
    strictEqual(parts.join(""), TEXT);
    ok(parts.length > 2);
  },

  async "an item over the budget is refused, with a handle of what follows it"(one, other) {
    const { items, more: handle } = await one.list_texts();
    deepStrictEqual(items, ["first"]);
    const { code, details } = await one.$.call("more", { handle }).catch((error) => error) as ToolError;
    strictEqual(code, "result_too_large");
    const { more: rest } = details as { more: string };
    deepStrictEqual(await other.$.call("more", { handle: rest }), {
      items: ["last"],
      total: 3,
      note: "Item 3 of 3; this is the last page",
    });
  },

  async "an answer that fits has no handle"(client) {
    deepStrictEqual(await client.list_rows({ count: 2 }), { items: allRows().slice(0, 2), total: 2 });
  },

  async "what is not a handle is refused"(client) {
    const { more = "" } = await client.list_rows({ count: 301 });
    const flipped = more.slice(0, -3) + (more.at(-3) === "A" ? "B" : "A") + more.slice(-2);
    for (const handle of ["", "more_", "x", flipped, more.slice(0, -1), `${more}A`, more.replace("more_", "cont_")]) {
      await rejects(() => client.$.call("more", { handle }), { name: "ToolError", code: "invalid_continuation" });
    }
    for (const args of [{}, { handle: 5 }, { handle: null }, { more }]) {
      await rejects(() => client.$.call("more", args), { name: "ToolError", code: "invalid_input" });
    }
  },
};

async function open(wire: WireRow, name?: string) {
  const server = createReplica(name !== undefined);
  const { transport, close } = await wire.open(
    server,
    name === undefined
      ? {}
      : { headers: { authorization: `Bearer ${name}` }, principal: { id: name, scopes: ["rows"] } },
  );
  return {
    client: createClient<Replica>(transport),
    async close() {
      transport.close?.();
      await close();
      await server.close(0);
    },
  };
}

const cases = [...WIRES, ...COMPOSED].flatMap((wire) =>
  Object.entries(SCENARIOS).filter((_, place) => isChosen(wire, place)).map(([name, run]) => ({ wire, name, run }))
);
const bodies = overlap(cases.map(({ wire, run }) => async () => {
  if (skipOf(wire) !== false) return;
  const [one, other] = [await open(wire), await open(wire)];
  try {
    const isWrapped = wire.name.startsWith("gateway");
    await run(one.client, other.client, MAX_TOKENS + (isWrapped ? WRAPPED_TOKENS : 0));
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}));
cases.forEach(({ wire, name }, index) => test(`${wire.name}: ${name}`, { skip: skipOf(wire) }, bodies[index]));

for (const wire of WIRES) {
  test(`${wire.name}: a handle of another principal is refused`, {
    skip: skipOf(wire, ["callers who show who they are"]),
  }, async () => {
    const [ada, bob, adaElsewhere] = [await open(wire, "ada"), await open(wire, "bob"), await open(wire, "ada")];
    try {
      const { items, more } = await ada.client.whoami();
      strictEqual(items[0], "ada 0");
      await rejects(() => bob.client.$.call("more", { handle: more }), { code: "invalid_continuation" });
      const page = await adaElsewhere.client.$.call("more", { handle: more }) as Page;
      strictEqual(page.items?.[0], `ada ${items.length}`);
    } finally {
      await Promise.all([ada.close(), bob.close(), adaElsewhere.close()]);
    }
  });
}
