/** The declarations of all exports are written down, so that a change of a public type is read in a diff. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as script from "../../scripts/signatures.mjs";

const { SIGNATURES, listSignatures, renderSignatures } = script as {
  readonly SIGNATURES: URL;
  readonly listSignatures: () => string;
  readonly renderSignatures: (
    entries: readonly (readonly [string, string])[],
    read: (file: string) => string | undefined,
  ) => string;
};

test("the exports have the declarations of tests/arch/signatures.txt", { timeout: 120_000 }, () => {
  const [today, written] = [listSignatures(), readFileSync(SIGNATURES, "utf8")].map((text) => text.split("\n\n"));
  // Declarations that differ, and not all of them: there are some thousand lines.
  deepStrictEqual(
    {
      changed: today?.filter((one) => !written?.includes(one)),
      before: written?.filter((one) => !today?.includes(one)),
    },
    { changed: [], before: [] },
    "A public type has changed. If that is intended, run `node scripts/exports.mjs` and commit tests/arch/signatures.txt",
  );
});

test("declarations are found through re-exports, with all overloads, and once for several entries", () => {
  const files: Record<string, string> = {
    "mod.ts":
      'export { f, type A } from "./src/a.ts";\nexport { b as c } from "./src/b.ts";\nexport type { X } from "pkg";',
    "src/core.ts": 'import type { A } from "./a.ts";\nexport type { A };\nexport * from "./b.ts";',
    "src/a.ts":
      "export declare function f(x: 1): 2;\nexport declare function f(x: 3): 4;\ntype Hidden = 1;\nexport interface A {\n    a: Hidden;\n}",
    "src/b.ts": "declare const b: unique symbol;\nexport { b };",
  };
  const printed = renderSignatures([[".", "mod.ts"], ["./core", "src/core.ts"]], (file) => files[file]);
  strictEqual(
    printed,
    [
      "// ., ./core\ninterface A {\n    a: Hidden;\n}\n",
      "// ./core\nconst b: unique symbol;\n",
      "// .\nconst b: unique symbol;\n// as c\n",
      "// .\nfunction f(x: 1): 2;\nfunction f(x: 3): 4;\n",
      "// .\n// X of pkg\n",
    ].join("\n"),
  );
  throws(
    () => renderSignatures([[".", "mod.ts"]], (file) => file === "mod.ts" ? files[file] : "export {};"),
    /mod.ts exports f of/,
  );
});
