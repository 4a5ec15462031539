/** What pages of a budget have: the members beside a list, the line about the part, tables, and whether the list has changed. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as v from "../../../../src/entries/schema.ts";
import { createServer, defineTool } from "../../../../mod.ts";
import { budget, type BudgetOptions } from "../../../../src/entries/answers.ts";
import { estimateTextTokens } from "../../../../src/internal/token_estimate.ts";
import { testClient } from "../../../../src/entries/testing.ts";

const KEYS = "k1:a secret that all of these replicas know";
const READ_ONLY = { readOnlyHint: true } as const;
const Row = v.object({ id: v.number(), title: v.string(), owner: v.optional(v.string()) });
type Row = v.InferOutput<typeof Row>;

const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id, title: `Row ${id}` }));

const base = defineTool("list").describe("List").annotate(READ_ONLY)
  .input(v.object({ owner: v.optional(v.string()), state: v.optional(v.string()), limit: v.optional(v.number()) }));

test("the other members of an object are kept on each page, with and without a schema of the output", async () => {
  const answer = { total_count: 5_000, items: rowsOf(300), incomplete: false };
  const limit = budget({ maxTokens: 1_000, items: "items" });
  const Output = v.strictObject({ total_count: v.number(), items: v.array(Row), incomplete: v.boolean() });
  const withSchema = base.output(Output).answer(limit).handle(() => answer);
  const inferred = base.answer(limit).handle(() => answer);
  for (const tool of [withSchema, inferred]) {
    const client = testClient(createServer({ tools: [tool], keys: KEYS }));
    const page = await client.list({});
    const { total_count: count, incomplete } = page;
    deepStrictEqual([count, incomplete], [5_000, false]);
    ok(page.items.length < 100 && page.more !== undefined);
    const next = await client.$.call("more", { handle: page.more }) as typeof page;
    deepStrictEqual([next.total_count, next.items[0]?.id], [5_000, page.items.length]);
    const ids: number[] = [];
    for await (const { id } of client.list.items({})) ids.push(id);
    deepStrictEqual(ids, answer.items.map(({ id }) => id));
  }
});

test("a list has any name, and its schema may be a reference", async () => {
  const limit = budget({ maxTokens: 1_000, items: "rows" });
  const tool = base.output({
    type: "object",
    properties: { rows: { $ref: "#/$defs/rows" }, cursor: { type: "string" } },
    required: ["rows"],
    additionalProperties: false,
    $defs: { rows: { type: "array", items: { type: "number" } } },
  }).answer(limit as never).handle((() => ({ rows: Array(2_000).fill(1), cursor: "c" })) as never);
  const client = testClient(createServer({ tools: [tool], keys: KEYS }));
  const page = await client.$.call("list") as { rows: number[]; cursor: string; more: string };
  ok(page.rows.length < 2_000 && page.cursor === "c" && page.more !== "");
  let count = 0;
  for await (const one of (client.list.items as () => AsyncIterable<unknown>)()) count += Number(one);
  strictEqual(count, 2_000);
});

test("members beside a part of a list are kept", async () => {
  const tool = base.answer(budget({ maxTokens: 1_000 })).handle(() => ({ items: [1, 2], total_count: 9 }));
  deepStrictEqual(await testClient(createServer({ tools: [tool], keys: KEYS })).list({}), {
    items: [1, 2],
    total_count: 9,
  });
});

test("each page of a cut answer says which part it is, and how to get less; a whole answer does not", async () => {
  const tool = base.answer(budget({ maxTokens: 1_000 })).handle(({ limit = 0 }) => rowsOf(limit));
  const client = testClient(createServer({ tools: [tool], keys: KEYS }));
  deepStrictEqual(await client.list({ limit: 2 }), { items: rowsOf(2), total: 2 });
  const first = await client.list({ limit: 100, owner: "ada" });
  const { length } = first.items;
  strictEqual(first.note, `Items 1 to ${length} of 100; the tool "more" has the next. To narrow: state`);
  const second = await client.$.call("more", { handle: first.more }) as typeof first;
  strictEqual(second.note, `Items ${length + 1} to 100 of 100; this is the last page`);
  const said = defineTool("list").describe("L").annotate(READ_ONLY)
    .answer(budget({ maxChars: 4_000, narrow: "Read one section." })).handle(() => "a line\n".repeat(1_000));
  const { note, text } = await testClient(createServer({ tools: [said], keys: KEYS })).list();
  strictEqual(note, `Characters 1 to ${text.length} of 7000; the tool "more" has the next. Read one section.`);
});

test("the line about a part counts the items of the parts before it", async () => {
  const { cursorOf } = await import("../../../../src/entries/answers.ts");
  const tool = base.answer(budget({ maxTokens: 1_000 })).handle((_, ctx) => {
    const part = Number(cursorOf(ctx) ?? 0);
    return { items: [part * 2, part * 2 + 1], ...(part < 2 && { next: part + 1 }) };
  });
  const client = testClient(createServer({ tools: [tool], keys: KEYS }));
  const notes: (string | undefined)[] = [];
  let page = await client.list({ owner: "a", state: "b" });
  for (;; page = await client.$.call("more", { handle: page.more }) as typeof page) {
    notes.push(page.note);
    if (page.more === undefined) break;
  }
  deepStrictEqual(notes, [
    'Items 1 to 2; the tool "more" has the next.',
    'Items 3 to 4; the tool "more" has the next.',
    "Items 5 to 6; this is the last page",
  ]);
});

test("a table has the names of the members once, within the same budget, and the client's items are objects", async () => {
  const rows = Array.from({ length: 400 }, (_, id) => ({
    id,
    title: `Row ${id}`,
    tags: ["a"],
    ...(id % 2 === 0 && { owner: "ada" }),
    hidden: true,
  }));
  const Item = v.object({
    id: v.number(),
    title: v.string(),
    tags: v.array(v.string()),
    owner: v.optional(v.string()),
  });
  const limit = budget({ maxTokens: 1_000, format: "table" });
  const declared = base.output(v.array(Item)).answer(limit).handle(() => rows);
  const inferred = base.answer(limit).handle(() => rows.map(({ hidden: _, ...row }) => row));
  for (const tool of [declared, inferred]) {
    const server = createServer({ tools: [tool], keys: KEYS });
    const client = testClient(server);
    const page = await client.list({});
    deepStrictEqual(page.columns, ["id", "title", "tags", "owner"]);
    deepStrictEqual(page.items.slice(0, 2), [[0, "Row 0", ["a"], "ada"], [1, "Row 1", ["a"], null]]);
    const size = estimateTextTokens(JSON.stringify(page));
    ok(size <= 1_000);
    const found: unknown[] = [];
    for await (const { id, owner } of client.list.items({})) found.push([id, owner]);
    deepStrictEqual(found, rows.map(({ id, owner }) => [id, owner ?? null]));
  }
  const inferredPage = await testClient(createServer({ tools: [inferred], keys: KEYS })).list({});
  ok(estimateTextTokens(JSON.stringify(inferredPage)) > 950, "a page is as full as its budget allows");
});

test("a table takes at least a quarter fewer tokens for the same rows", async () => {
  const sizeOf = async (options: BudgetOptions) => {
    const tool = base.answer(budget(options)).handle(() => rowsOf(30));
    return estimateTextTokens(JSON.stringify(await testClient(createServer({ tools: [tool], keys: KEYS })).list({})));
  };
  ok(await sizeOf({ maxTokens: 9_000, format: "table" }) < 0.75 * await sizeOf({ maxTokens: 9_000 }));
});

test("rows of a table must be objects, and an object's list must exist", async () => {
  for (
    const tool of [
      base.answer(budget({ maxTokens: 1_000, format: "table" })).handle(() => [1]),
      base.answer(budget({ maxTokens: 1_000, items: "rows" })).handle((() => [1]) as never),
      base.answer(budget({ maxTokens: 1_000, items: "rows" })).handle(() => ({ rows: [1], more: true })),
    ]
  ) {
    await rejects(testClient(createServer({ tools: [tool], keys: KEYS, logger: false })).$.call("list"), {
      code: "internal",
    });
  }
});

test("a list that cannot be found, and a member that pages have, are refused with the mend", () => {
  const limit = budget({ maxTokens: 1_000 });
  const Named = v.object({ total_count: v.number(), rows: v.array(v.number()) });
  throws(() => base.output(Named).answer(limit).handle((() => ({})) as never), {
    message:
      'Cannot limit answers of tool "list": its output must be a list or a text; pass budget({ items: "rows" }) for ' +
      "that list of its output",
  });
  throws(() => base.output(Named).answer(budget({ maxTokens: 1_000, items: "row" })).handle((() => ({})) as never), {
    message: 'Cannot limit answers of tool "list": its output must be an object whose member "row" is a list; pass ' +
      'budget({ items: "rows" }) for that list of its output',
  });
  const Taken = v.object({ rows: v.array(v.number()), more: v.boolean() });
  throws(() => base.output(Taken).answer(budget({ maxTokens: 1_000, items: "rows" })).handle((() => ({})) as never), {
    message:
      'Cannot limit answers of tool "list": its output has the member "more", which pages have for themselves; rename it',
  });
  throws(
    () => base.output(v.string()).answer(budget({ maxTokens: 1_000, format: "table" })).handle(() => ""),
    /no table/,
  );
  throws(() => budget({ maxTokens: 1_000, format: "csv" as never }), /format must be "json" or "table"/);
});

test("an argument of .answer() that is no budget is refused with the budget to pass", () => {
  throws(() => base.answer({ maxTokens: 200 } as never), {
    name: "TypeError",
    message:
      'Cannot limit answers of tool "list": .answer() takes a budget; pass budget({"maxTokens":200}), with budget of ' +
      '"toolwire/answers"',
  });
  for (const wrong of [undefined, null, 5, budget]) throws(() => base.answer(wrong as never), /pass budget\(/);
});

/** One change of a list between two pages. */
const anyChange = fc.oneof(
  fc.record({ kind: fc.constant("delete" as const), at: fc.nat(200) }),
  fc.record({ kind: fc.constant("add" as const), at: fc.nat(200) }),
  fc.record({ kind: fc.constant("swap" as const), at: fc.nat(200), to: fc.nat(200) }),
);

test("if a list changes between pages, each remaining row is on one page, or the page has `changed`", async () => {
  let unchanged = 0;
  let changed = 0;
  const anyTurn = fc.array(anyChange, { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(160),
      fc.array(anyTurn, { maxLength: 5 }),
      fc.constantFrom("json", "table"),
      async (count, turns, format) => {
        const list = Array.from({ length: count }, (_, id) => ({ id, title: `Row ${id}, of a list that changes` }));
        const start = list.map(({ id }) => id);
        let added = 1_000;
        const tool = base.answer(budget({ maxTokens: 1_000, format: format as "json" })).handle(() => [...list]);
        const client = testClient(createServer({ tools: [tool], keys: KEYS }));
        const seen: number[] = [];
        let isSaid = false;
        let page = await client.list({});
        for (let turn = 0;; turn++) {
          seen.push(...page.items.map((item) => Array.isArray(item) ? Number(item[0]) : item.id));
          isSaid ||= page.changed === true;
          if (page.more === undefined) break;
          for (const change of turns[turn] ?? []) {
            const at = Math.min(change.at, list.length - 1);
            if (change.kind === "delete") list.splice(at, 1);
            else if (change.kind === "add") list.splice(at, 0, { id: added++, title: "An added row" });
            else if (list.length > 1) {
              const to = Math.min(change.to, list.length - 1);
              [list[at], list[to]] = [list[to]!, list[at]!];
            }
          }
          page = await client.$.call("more", { handle: page.more }) as typeof page;
        }
        if (isSaid) changed++;
        else {
          unchanged++;
          const stayed = start.filter((id) => list.some((row) => row.id === id));
          for (const id of stayed) strictEqual(seen.filter((one) => one === id).length, 1);
        }
      },
    ),
    { seed: 35, numRuns: 120 },
  );
  ok(unchanged > 10 && changed > 10, `${unchanged} and ${changed}`);
});

test("a text that changes before the next part has `changed`, and one that grows at its end has not", async () => {
  let text = "a line\n".repeat(2_000);
  const tool = defineTool("log").describe("L").annotate(READ_ONLY).answer(budget({ maxChars: 4_000 })).handle(() =>
    text
  );
  const client = testClient(createServer({ tools: [tool], keys: KEYS }));
  const { more } = await client.log();
  text += "another\n";
  const same = await client.$.call("more", { handle: more }) as { changed?: true };
  strictEqual(same.changed, undefined);
  text = text.slice(7).replace("a line", "A line");
  const { changed, note } = await client.$.call("more", { handle: more }) as { changed?: true; note: string };
  strictEqual(changed, true);
  ok(note.startsWith("What comes before this page has changed since the page before"));
});
