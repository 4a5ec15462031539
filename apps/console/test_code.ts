/** A call and how it ended, as a test that runs. */
import type { Json } from "./json_schema.ts";
import { asSchema } from "./json_schema.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Writes a test of a server that `./server.ts` exports. It expects the answer or the failure of the call; without one it expects an
 * answer of any value.
 */
export function testCode(tool: string, args: Json, outcome: Outcome | undefined): string {
  const call = `client.$.call(${JSON.stringify(tool)}, ${indent(JSON.stringify(args, null, 2))})`;
  const [used, expected, title] = expectation(call, outcome);
  return [
    `import { testClient } from "toolwire/testing";`,
    `import { ${used} } from "node:assert/strict";`,
    `import { test } from "node:test";`,
    `import { server } from "./server.ts";`,
    "",
    `test(${JSON.stringify(`${tool} ${title}`)}, async () => {`,
    "  const client = testClient(server);",
    `  ${expected};`,
    "});",
    "",
  ].join("\n");
}

/** What a generated test asserts: the import that it uses, its code, and its title. */
type Expectation = readonly [used: string, code: string, title: string];

function expectation(call: string, outcome: Outcome | undefined): Expectation {
  if (outcome?.kind === "failure" || outcome?.kind === "error") {
    const code = codeOf(outcome.value);
    if (code === undefined) return ["rejects", `await rejects(${call})`, "fails"];
    return ["rejects", `await rejects(${call}, { code: ${JSON.stringify(code)} })`, `fails with ${code}`];
  }
  if (outcome?.kind !== "answer") return ["ok", `ok(await ${call} !== undefined)`, "answers"];
  const value = indent(JSON.stringify(outcome.value, null, 2) ?? "undefined");
  return ["deepStrictEqual", `deepStrictEqual(await ${call}, ${value})`, "answers"];
}

/** The code of a failure or an error, where each wire has it. */
function codeOf(value: unknown): string | undefined {
  const { code, data, _meta } = asSchema(value);
  const found = [asSchema(data)["code"], code, asSchema(_meta)["toolwire/code"]].find((one) => typeof one === "string");
  return found as string | undefined;
}

function indent(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
