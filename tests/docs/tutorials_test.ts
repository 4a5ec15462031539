/** The tutorials as scripts, which `scripts/check_tutorials.mjs` runs: what is typed on each runtime, and what counts as the output shown. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as scripts from "../../scripts/package/tutorials.mjs";

type Deed = { readonly file: string; readonly code: string } | { readonly typed: string; readonly shown?: string };
type Commands = readonly (readonly [before: string, after: string])[];
const { commandsOf, deedsOf, isAsShown, portsOf, printedBy, scriptOf, translate } = scripts as {
  readonly commandsOf: (page: string) => Readonly<Record<"node" | "bun" | "deno", Commands>>;
  readonly deedsOf: (page: string) => readonly Deed[];
  readonly isAsShown: (printed: string, shown: string) => boolean;
  readonly portsOf: (page: string) => readonly string[];
  readonly printedBy: (output: string) => ReadonlyMap<number, string>;
  readonly scriptOf: (deeds: readonly Deed[], ports: readonly string[], saved: string) => string;
  readonly translate: (page: string, commands: Commands) => string;
};

const folder = fileURLToPath(new URL("../../docs/tutorials", import.meta.url));
const pages = readdirSync(folder).map((name) => ({ name, page: readFileSync(join(folder, name), "utf8") }));
const commands = commandsOf(readFileSync(join(folder, "first-server.md"), "utf8"));

test("each tutorial saves files, types commands, and shows what they print", () => {
  strictEqual(pages.length, 6);
  for (const { name, page } of pages) {
    const deeds = deedsOf(page);
    ok(deeds.filter((deed) => "shown" in deed).length > 3, name);
    ok(deeds.some((deed) => "file" in deed), name);
    const typed = deeds.flatMap((deed) => "typed" in deed ? [deed.typed] : []).join("\n");
    ok(!/^(?:bun|bunx|deno) /m.test(typed), `${name} types the commands of Node`);
  }
});

test("the commands of Node have those of Bun and Deno in their place", () => {
  const page =
    "```sh\nnpm install toolwire zod\nPORT=1 node server.ts &\nnpx toolwire list ./server.ts\nnode --test a.test.ts\n```\n";
  const typed = (runtime: "bun" | "deno") => translate(page, commands[runtime]).split("\n").slice(1, 5);
  deepStrictEqual(typed("bun"), [
    "bun add toolwire zod",
    "PORT=1 bun server.ts &",
    "bunx toolwire list ./server.ts",
    "bun test a.test.ts",
  ]);
  deepStrictEqual(typed("deno"), [
    "deno add --npm toolwire zod",
    "PORT=1 deno run -A server.ts &",
    "deno run -A npm:toolwire list ./server.ts",
    "deno test -A a.test.ts",
  ]);
  strictEqual(translate(page, commands.node), page);
  for (const { page } of pages) {
    for (const runtime of ["bun", "deno"] as const) {
      const left = translate(page, commands[runtime]).match(/^(?:npm|npx|node) .*$/gm) ?? [];
      deepStrictEqual(left, []);
    }
  }
});

test("a script waits until a program listens in place of a second, and marks each output", () => {
  const page =
    "Save as `a.ts`:\n\n```ts\nserve({ port: 8000 });\n```\n\n```sh\nnode a.ts &\nsleep 1\ncurl localhost:8000\n```\n\n" +
    "```text\nhello …\n```\n";
  const deeds = deedsOf(page);
  deepStrictEqual(deeds.map((deed) => "file" in deed ? deed.file : deed.shown), ["a.ts", "hello …\n"]);
  const script = scriptOf(deeds, portsOf(page), "/saved");
  match(
    script,
    /^cp \/saved\/0 a\.ts\nprintf '\\n::deed 1\\n'\nnode a\.ts &\ncurl .*--retry-connrefused http:\/\/localhost:8000\/\n/m,
  );
  const printed = printedBy("\n::deed 1\n[1]+ Done  node\nhello you\n\n::end\n");
  deepStrictEqual([...printed], [[1, "hello you\n"]]);
  deepStrictEqual([isAsShown("hello you\n", "hello …\n"), isAsShown("hullo you\n", "hello …\n")], [true, false]);
});
