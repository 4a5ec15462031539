import { checkOptions, type OptionRules, rule } from "../../../internal/options.ts";
import { ToolError } from "../../errors/tool_error.ts";
import { isPromiseLike } from "../../../internal/async.ts";
import { isJsonObject, type Json } from "../../../internal/json.ts";
import type { AnswerPosition } from "../../call/call.ts";
import type { Ctx } from "../../handler/context.ts";
import type { CompiledSchema } from "../../schema/compile.ts";
import type { JsonSchema, SchemaResult } from "../../schema/standard_schema.ts";
import type { AnswerFormat, ListPart, ToolDefinition } from "../../tool/definition.ts";
import { type AnswerRun, createHandle, handleTooLong, MORE } from "./handle.ts";
import { type Budget, type BudgetOptions, endOfItems, endOfLines, toBudget } from "./page.ts";

const atLeast = (least: number) => rule(`at least ${least}`, (value) => Number(value) >= least);

const RULES: OptionRules<BudgetOptions> = { maxTokens: atLeast(1_000), maxChars: atLeast(4_000) };

/** Characters of a token, at most, in the hint for hosts; and the largest hint that they accept. */
const HINT_CHARS_OF_TOKEN = 6;
const MAX_HINT_CHARS = 500_000;

/**
 * Keeps answers of a tool within a budget: `.answer(budget({ maxTokens: 4_000 }))`, for tools that return a list or a text.
 *
 * A list is answered as `{ items, total, more? }` with as many whole items as fit, a text as `{ text, total, more? }`, cut at a line.
 * `total` is the number of all items or characters. `more` is a handle: the tool `more`, which the server then lists, answers what follows. `client.name.items()`
 * follows handles. The tool runs again for each page, with the same arguments, at any replica with the same keys, so it must be
 * read-only and give the same list each time. A handle is valid for an hour and for its caller only.
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
 * strictEqual(count, 1_000);
 * ```
 * @throws {TypeError} If there is not exactly one of `maxTokens` and `maxChars`. `.handle()` throws it if the tool is not read-only,
 * streams, promises, or declares another output than a list or a text.
 * @throws {RangeError} If the budget is below 1,000 tokens or 4,000 characters.
 */
export function budget(options: BudgetOptions): AnswerFormat {
  checkOptions("limit answers", options, RULES);
  const { maxTokens, maxChars } = options;
  if ((maxTokens === undefined) === (maxChars === undefined)) {
    throw new TypeError("Cannot limit answers: pass either maxTokens or maxChars");
  }
  const hint = Math.min(MAX_HINT_CHARS, Math.ceil(maxChars ?? (maxTokens ?? 0) * HINT_CHARS_OF_TOKEN));
  return { "~apply": (definition) => applyBudget(definition, toBudget(options), hint) };
}

/** The cursor at which a handler with a budget starts its part of the list: its `next` of the part before. `undefined` for the first part. */
export function cursorOf(ctx: Ctx): Json | undefined {
  return (ctx as unknown as AnswerRun).call.position?.cursor;
}

function applyBudget(definition: ToolDefinition, budget: Budget, hint: number): ToolDefinition {
  const { name, handler, output, meta } = definition;
  const problem = problemOf(definition);
  if (problem !== undefined) throw new TypeError(`Cannot limit answers of tool "${name}": ${problem}`);
  return {
    ...definition,
    companion: MORE,
    meta: { "anthropic/maxResultSizeChars": hint, ...meta },
    output: output && pageSchema(output),
    handler(input, ctx) {
      const run = ctx as unknown as AnswerRun;
      const returned = handler(input, ctx);
      return isPromiseLike(returned)
        ? Promise.resolve(returned).then((value) => toPage(value, run, budget))
        : toPage(returned, run, budget);
    },
  };
}

function problemOf({ annotations, promise, external, handler, output }: ToolDefinition): string | undefined {
  if (annotations?.readOnlyHint !== true) {
    return "it runs again for each page, so it needs .annotate({ readOnlyHint: true })";
  }
  if (promise !== undefined || external !== undefined) return "a tool that promises answers has no budget";
  if (Object.prototype.toString.call(handler) === "[object AsyncGeneratorFunction]") {
    return "its handler streams; return a list or a text";
  }
  const { type, minItems } = output?.jsonSchema ?? { type: "array" };
  if (type !== "array" && type !== "string") return "its output must be a list or a text";
  return minItems === undefined ? undefined : "its pages may be shorter than the declared minimum length of the list";
}

function toPage(value: unknown, run: AnswerRun, budget: Budget): unknown {
  const position = run.call.position ?? { at: 0 };
  if (typeof value === "string") return textPage(value, position.at, run, budget);
  if (Array.isArray(value)) return itemsPage({ items: value, total: value.length }, position, run, budget);
  if (isJsonObject(value) && Array.isArray(value["items"])) {
    return itemsPage(value as unknown as ListPart<unknown>, position, run, budget);
  }
  // A returned error is treated as thrown.
  if (value instanceof Error) return value;
  throw new TypeError("A tool with a budget must return a list, a text, or { items, next?, total? }");
}

function textPage(text: string, start: number, run: AnswerRun, budget: Budget): unknown {
  const pageTo = keepPages((end) => ({
    text: text.slice(start, end),
    total: text.length,
    ...(end < text.length && { more: createHandle(run, { at: end }) }),
  }));
  return withinBudget(pageTo(endOfLines(text, start, budget, pageTo)), budget);
}

/** A page of a part of a list: the part again from another item, or the next part. */
function itemsPage(part: ListPart<unknown>, { at: start, cursor }: AnswerPosition, run: AnswerRun, budget: Budget) {
  const { items, total, next } = part;
  const follow = (end: number): AnswerPosition | undefined => {
    if (end < items.length) return { at: end, ...(cursor !== undefined && { cursor }) };
    return next === undefined ? undefined : { at: 0, cursor: next };
  };
  const pageTo = keepPages((end) => {
    const position = follow(end);
    return {
      items: items.slice(start, end),
      ...(total !== undefined && { total }),
      ...(position !== undefined && { more: createHandle(run, position) }),
    };
  });
  const page = withinBudget(pageTo(endOfItems(items, start, budget, pageTo)), budget);
  if (page.items.length === 1 && budget.measure(page) > budget.max) throw itemTooLarge(start, page.more);
  return page;
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

/** Schema of a page, which validates the items as the declared schema does. */
function pageSchema(output: CompiledSchema): CompiledSchema {
  const isText = output.jsonSchema["type"] === "string";
  return {
    jsonSchema: isText ? pageOf("text", { type: "string" }) : pageOf("items", output.jsonSchema),
    validate(value) {
      const { items, text } = isJsonObject(value) ? value : {};
      if (!isText) {
        const checked = output.validate(items);
        return checked instanceof Promise ? checked.then((later) => ofPage(value, later)) : ofPage(value, checked);
      }
      // The parts of a text need not fit its pattern or length.
      return typeof text === "string" ? { value } : { issues: [{ message: "Expected a text" }] };
    },
  };
}

/** The result of a page, from that of its items. */
function ofPage(page: unknown, { issues, value: items }: SchemaResult): SchemaResult {
  return issues === undefined ? { value: { ...page as object, items } } : { issues };
}

function pageOf(name: "items" | "text", { $defs, ...schema }: JsonSchema): JsonSchema {
  const total = { type: "integer", description: name === "items" ? "Number of all items" : "Length of the whole text" };
  const more = { type: "string", description: "Handle of what follows, for the tool `more`; absent at the end" };
  return {
    type: "object",
    properties: { [name]: schema, total, more },
    required: [name],
    ...($defs !== undefined && { $defs }),
  };
}
