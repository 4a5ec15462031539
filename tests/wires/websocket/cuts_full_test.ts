/** Connections that are cut off at random bytes. `npm run soak:websocket` makes 1,000 cuts. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { testWith } from "../../serve/programs.ts";
import { makeCuts } from "./cuts.ts";

testWith(
  "every call over a connection that is cut off ends with its answer or unavailable, and runs at most once",
  [],
  async () => {
    const { cuts, answers, errors } = await makeCuts(40, 7);
    strictEqual(cuts, 40);
    ok(answers > 0);
    deepStrictEqual(Object.keys(errors), ["unavailable"]);
  },
);
