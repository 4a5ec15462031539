/** `scripts/tap_size.mjs` finds the code of the console's tap in the sources: CI measures by it what the tap adds to the front door. */
import { doesNotMatch, ok } from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as script from "../../scripts/tap_size.mjs";

const { TAP_FILES, readWithoutTap } = script as {
  readonly TAP_FILES: readonly string[];
  readonly readWithoutTap: (file: string) => string;
};

test("the code of the tap is where scripts/tap_size.mjs looks for it, and nothing of it remains", () => {
  ok(TAP_FILES.length > 3);
  for (const file of TAP_FILES) {
    doesNotMatch(readWithoutTap(file), /#observer\b|observer\.(?:begin|end)\(|observer\?\.\w+\(/, file);
  }
});
