import { checkOptions, oneOf, type OptionRules, rule, TEXT } from "../../../internal/options.ts";
import { isPromiseLike } from "../../../internal/async.ts";
import { ToolError } from "../../errors/tool_error.ts";
import type { Json } from "../../../internal/json.ts";
import type { AnswerPosition } from "../../call/call.ts";
import type { Ctx } from "../../handler/context.ts";
import type { CompiledSchema } from "../../schema/compile.ts";
import type { AnswerFormat, PageFormat, ToolDefinition } from "../../tool/definition.ts";
import { type BudgetedRun, createHandle, handleTooLong, MORE_TOOL } from "./handle.ts";
import { readList, type ReturnedList, rowOf } from "./returned_list.ts";
import { noteOf, type PageRange } from "./page_note.ts";
import {
  findList,
  listsIn,
  pageSchema,
  reservedMemberIn,
  tableSchema,
  toCheckedTable,
  toTablePage,
} from "./page_schema.ts";
import { type Budget, type BudgetOptions, endOfItems, endOfLines, toBudget } from "./page.ts";
import { PrefixDigest } from "./prefix_digest.ts";

const atLeast = (least: number) => rule(`at least ${least}`, (value) => Number(value) >= least);

const RULES: OptionRules<BudgetOptions> = {
  maxTokens: atLeast(1_000),
  maxChars: atLeast(4_000),
  items: TEXT,
  format: oneOf("json", "table"),
  narrow: TEXT,
};

/** Characters of a token, at most, in the hint for hosts; and the largest hint that they accept. */
const HINT_CHARS_OF_TOKEN = 6;
const MAX_HINT_CHARS = 500_000;

/**
 * Keeps answers of a tool within a budget: `.answer(budget({ maxTokens: 4_000 }))`, for tools that return a list or a text.
 *
 * A list is answered as `{ items, total, more?, note? }` with as many whole items as fit, a text as `{ text, total, more?, note? }`, cut
 * at a line. `total` is the number of all items or characters. `more` is a handle: the tool `more`, which the server then lists, answers
 * what follows. `note` is which part this is, and how to get less. `client.name.items()` follows handles.
 *
 * For a list in an object, `budget({ items: "rows" })` keeps the other members: `{ total_count, rows, more?, note? }`.
 *
 * The tool runs again for each page, with the same arguments, at any replica with the same keys, so it must be read-only. If what
 * comes before a page is not what the caller has received, the page has `changed: true`. A handle is valid for an hour and for its caller only.
 *
 * An item that is over the budget alone is refused with `result_too_large`, whose `details.more` is the handle of what follows it.
 *
 * @example All rows, page by page
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { budget } from "jsr:@toolwire/toolwire/answers";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { ok, strictEqual } from "node:assert/strict";
 *
 * const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, title: `Issue ${id}` }));
 * const listIssues = defineTool("list_issues").describe("List the issues").annotate({ readOnlyHint: true })
 *   .answer(budget({ maxTokens: 1_000 })).handle(() => rows);
 * const client = testClient(createServer({ tools: [listIssues] }));
 *
 * const { items, total, more } = await client.list_issues();
 * ok(items.length < 100 && total === 1_000 && more !== undefined);
 * let count = 0;
 * for await (const { id } of client.list_issues.items()) strictEqual(id, count++);
 * console.log(count); // → 1000
 * ```
 * @throws {TypeError} If there is not exactly one of `maxTokens` and `maxChars`. `.handle()` throws it if the tool is not read-only,
 * streams, promises, or declares another output than a list, a text, or an object with the list that `items` names.
 * @throws {RangeError} If the budget is below 1,000 tokens or 4,000 characters.
 */
export function budget<
  const Items extends string | undefined = undefined,
  const Format extends PageFormat | undefined = "json",
>(options: BudgetOptions<Items, Format>): AnswerFormat<Items, Format> {
  checkOptions("limit answers", options, RULES);
  const { maxTokens, maxChars } = options;
  if ((maxTokens === undefined) === (maxChars === undefined)) {
    throw new TypeError("Cannot limit answers: pass either maxTokens or maxChars");
  }
  const hint = Math.min(MAX_HINT_CHARS, Math.ceil(maxChars ?? (maxTokens ?? 0) * HINT_CHARS_OF_TOKEN));
  const { items, format, narrow } = options;
  const limit: ResolvedBudget = { ...toBudget(options), items, isTable: format === "table", narrow };
  return { "~apply": (definition) => applyBudget(definition, limit, hint) };
}

/** The cursor at which a handler with a budget starts its part of the list: its `next` of the part before. `undefined` for the first part. */
export function cursorOf(ctx: Ctx): Json | undefined {
  return (ctx as unknown as BudgetedRun).request.position?.cursor;
}

/** Options of `budget()`, checked: the maximum size, and how pages are written. */
interface ResolvedBudget extends Budget {
  readonly items: string | undefined;
  readonly isTable: boolean;
  readonly narrow: string | undefined;
}

/** Options of `budget()` together with what follows of the tool's output: how pages of its answers are made. */
interface PageRules extends ResolvedBudget {
  /** Schema of pages whose items are not rows of a table. `undefined` without a declared output. */
  readonly schema: CompiledSchema | undefined;
}

function applyBudget(definition: ToolDefinition, limit: ResolvedBudget, hint: number): ToolDefinition {
  const { name, handler, output, meta } = definition;
  const problem = problemOf(definition, limit);
  if (problem !== undefined) throw new TypeError(`Cannot limit answers of tool "${name}": ${problem}`);
  const list = output && findList(output, limit.items);
  const schema = output && list && pageSchema(output, list);
  const paged: PageRules = { ...limit, schema };
  return {
    ...definition,
    continuationTool: MORE_TOOL,
    meta: { "anthropic/maxResultSizeChars": hint, ...meta },
    output: limit.isTable && output && list ? tableSchema(output, list) : schema,
    handler(input, ctx) {
      const run = ctx as unknown as BudgetedRun;
      const returned = handler(input, ctx);
      return isPromiseLike(returned)
        ? Promise.resolve(returned).then((value) => toPage(value, run, paged))
        : toPage(returned, run, paged);
    },
  };
}

function problemOf(definition: ToolDefinition, { items, isTable }: ResolvedBudget): string | undefined {
  const { annotations, promise, external, handler, output } = definition;
  if (annotations?.readOnlyHint !== true) {
    return "it runs again for each page, so it needs .annotate({ readOnlyHint: true })";
  }
  if (promise !== undefined || external !== undefined) return "a tool that promises answers has no budget";
  if (Object.prototype.toString.call(handler) === "[object AsyncGeneratorFunction]") {
    return "its handler streams; return a list or a text";
  }
  if (output === undefined) return undefined;
  const list = findList(output, items);
  if (list === undefined) {
    const [found] = listsIn(output);
    const advice = found === undefined
      ? ""
      : `; pass budget({ items: ${JSON.stringify(found)} }) for that list of its output`;
    return items === undefined
      ? `its output must be a list or a text${advice}`
      : `its output must be an object whose member ${JSON.stringify(items)} is a list${advice}`;
  }
  const taken = list.isMember ? reservedMemberIn(output, isTable) : undefined;
  if (taken !== undefined) return `its output has the member "${taken}", which pages have for themselves; rename it`;
  if (isTable && list.name === "text" && !list.isMember) return "a text has no table";
  const { minItems } = list.schema;
  return minItems === undefined ? undefined : "its pages may be shorter than the declared minimum length of the list";
}

function toPage(value: unknown, run: BudgetedRun, limit: PageRules): unknown {
  const position = run.request.position ?? { at: 0 };
  if (typeof value === "string" && limit.items === undefined) return textPage(value, position, run, limit);
  const list = readList(value, limit.items, limit.isTable);
  if (list !== undefined) return itemsPage(list, position, run, limit);
  // A returned error is treated as thrown.
  if (value instanceof Error) return value;
  throw new TypeError(
    limit.items === undefined
      ? "A tool with a budget must return a list, a text, or { items, next?, total? }"
      : `A tool with budget({ items: ${JSON.stringify(limit.items)} }) must return an object with that list`,
  );
}

/** Members that pages have beside the items or the text. */
function endOfPage(
  next: AnswerPosition | undefined,
  place: Omit<PageRange, "hasNext">,
  run: BudgetedRun,
  limit: ResolvedBudget,
) {
  const note = noteOf({ ...place, hasNext: next !== undefined }, run, limit.narrow);
  return {
    ...(next !== undefined && { more: createHandle(run, next) }),
    ...(note !== undefined && { note }),
    ...(place.isChanged && { changed: true }),
  };
}

function textPage(text: string, { at: start, digest }: AnswerPosition, run: BudgetedRun, limit: PageRules): unknown {
  const seen = new PrefixDigest(text, start);
  const isChanged = digest !== undefined && digest !== seen.at(start);
  const total = text.length;
  const pageTo = keepPages((end) => {
    const next = end < total ? { at: end, digest: seen.at(end) } : undefined;
    const place = { unit: "Character" as const, before: start, count: Math.max(0, end - start), total, isChanged };
    return { text: text.slice(start, end), total, ...endOfPage(next, place, run, limit) };
  });
  return withinBudget(pageTo(endOfLines(text, start, limit, pageTo)), limit);
}

/** A page of a part of a list: the part again from another item, or the next part. */
function itemsPage(list: ReturnedList, position: AnswerPosition, run: BudgetedRun, limit: PageRules) {
  const { name, items, members, total, next } = list;
  const { at: start, cursor, before = 0, digest } = position;
  const seen = new PrefixDigest(items, start);
  const isChanged = digest !== undefined && digest !== seen.at(start);
  const part = cursor === undefined ? {} : { cursor, before };
  const follow = (end: number): AnswerPosition | undefined => {
    if (end < items.length) return { at: end, ...part, digest: seen.at(end) };
    return next === undefined ? undefined : { at: 0, cursor: next, before: before + items.length };
  };
  const pageTo = keepPages((end) => {
    const place = { unit: "Item" as const, before: before + start, count: Math.max(0, end - start), total, isChanged };
    const page: Page = { ...members, [name]: items.slice(start, end), ...endOfPage(follow(end), place, run, limit) };
    return page;
  });
  const shown = limit.isTable ? (end: number) => toTablePage(pageTo(end), name) : pageTo;
  const sizeOf = limit.isTable ? (item: unknown) => limit.measure(Object.values(rowOf(item))) : limit.measure;
  const end = endOfItems(items, start, limit, shown, sizeOf);
  const page = withinBudget(pageTo(end), limit);
  if (end === start + 1 && limit.measure(shown(end)) > limit.max) throw itemTooLarge(before + start, page.more);
  // Items are validated before they become rows.
  return !limit.isTable ? page : limit.schema === undefined ? shown(end) : toCheckedTable(page, name, limit.schema);
}

/** One page of an answer, as its caller gets it. */
interface Page {
  readonly more?: string;
  readonly [member: string]: unknown;
}

/** The error for an item that is over the budget alone. Its handle skips the item. */
function itemTooLarge(index: number, more: string | undefined): ToolError {
  const skip = more === undefined ? "" : ", or skip it with the handle `more` of this error";
  const problem = `Item ${index + 1} alone is over the budget of this answer: request a part of it${skip}`;
  return new ToolError("result_too_large", problem, more === undefined ? {} : { details: { more } });
}

/** Creates each page once: another handle for the same page may have another size. */
function keepPages<Page>(createPage: (end: number) => Page): (end: number) => Page {
  const pages = new Map<number, Page>();
  return (end) => {
    const page = pages.get(end) ?? createPage(end);
    pages.set(end, page);
    return page;
  };
}

/** @throws {ToolError} `result_too_large`, if the handle, which carries the arguments, takes most of the budget. */
function withinBudget<Page extends { readonly more?: string }>(page: Page, { max, measure }: Budget): Page {
  if (page.more === undefined || measure(page.more) < max / 2) return page;
  throw handleTooLong();
}
