/**
 * Answers within a budget: a page of whole items or lines, how many there are, and a handle for the rest. A tool needs it if its answer can
 * be larger than what a model should read at once.
 *
 * @example A text, cut at a line
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { budget } from "jsr:@toolwire/toolwire/answers";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { ok, strictEqual } from "node:assert/strict";
 *
 * const log = "one line of a log\n".repeat(1_000);
 * const readLog = defineTool("read_log").describe("Read the log").annotate({ readOnlyHint: true })
 *   .answer(budget({ maxChars: 4_000 })).handle(() => log);
 * const client = testClient(createServer({ tools: [readLog] }));
 *
 * const { text, total, more } = await client.read_log();
 * ok(text.endsWith("log\n") && text.length < 4_000 && total === log.length && more !== undefined);
 * const parts: string[] = [];
 * for await (const part of client.read_log.items()) parts.push(part);
 * strictEqual(parts.join(""), log);
 * ```
 *
 * @module
 */
export { budget, cursorOf } from "../core/dispatch/answers/budget.ts";
export type { BudgetOptions } from "../core/dispatch/answers/page.ts";
export type {
  AnswerFormat,
  ItemsPage,
  ListedItem,
  ListMember,
  ListPart,
  PageEnd,
  PageFormat,
  TableRow,
  TextPage,
} from "../core/tool/definition.ts";
