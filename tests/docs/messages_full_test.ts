/** All error messages and log lines in one file, so that a change of one is read beside the others. Parses all sources, so `npm test` leaves it out. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as script from "../../scripts/messages.mjs";

const { listMessages, MESSAGES, messagesOf } = script as {
  readonly listMessages: () => string;
  readonly MESSAGES: URL;
  readonly messagesOf: (text: string) => readonly string[];
};

test("tests/docs/messages.txt has the error messages and log lines of today", () => {
  const today = listMessages();
  ok(today.length > 50_000);
  strictEqual(
    readFileSync(MESSAGES, "utf8"),
    today,
    "Run `node scripts/messages.mjs`, and read what has changed as a user would",
  );
});

test("messagesOf() finds errors, results that are errors, failures and log lines, with their computed parts", () => {
  const text = [
    'throw new TypeError("Cannot read a");',
    "throw new ToolError('invalid_input', `Cannot read ${name}: ` + reason);",
    'const result = errorResult("not_found", isOld ? "It is over" : "It is missing");',
    'throw ctx.fail("sold_out", "There are no seats left");',
    'services.logger?.warn("A worker has stopped", { id });',
    'console.log("not one of them");',
    'const NO_KEYS = "Tokens are signed " + "with a random key";',
  ].join("\n");
  deepStrictEqual(messagesOf(text), [
    "Cannot read a",
    "Cannot read {name}: {…}",
    "It is over | It is missing",
    "There are no seats left",
    "A worker has stopped",
    "Tokens are signed with a random key",
  ]);
});
