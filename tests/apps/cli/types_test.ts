/** `toolwire types`: documents as targets, files that are compared, wrong use. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeContract } from "../../../apps/cli/contract/contract.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

const ADD = {
  name: "add",
  description: "Adds",
  inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
  outputSchema: { type: "number" },
};

const API = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        summary: "One pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        responses: {
          "200": {
            description: "It",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
          },
        },
      },
    },
  },
  components: {
    schemas: { Pet: { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } } },
  },
};

const DOCUMENTS = {
  "lists.json": {
    wire: "mcp",
    tools: [ADD],
    prompts: [{ name: "review", arguments: [{ name: "code", required: true }] }],
  },
  "tools.json": [ADD],
  "pin.json": {
    name: "math",
    version: "1.0.0",
    actions: [{ name: "add", description: "Adds", requestSchema: ADD.inputSchema, responseSchema: ADD.outputSchema }],
  },
  "api.json": API,
  "empty.json": {},
  "nameless.json": [{}],
  "old.json": { openapi: "2.0", paths: {} },
  "bad.json": undefined,
};

async function createFolder() {
  const folder = await temporaryFolder();
  for (const [name, json] of Object.entries(DOCUMENTS)) {
    writeFileSync(join(folder.path, name), json === undefined ? "{" : JSON.stringify(json));
  }
  return {
    run: (...args: readonly string[]) => runHere({ cwd: folder.path }, "types", ...args),
    read: (name: string) => readFileSync(join(folder.path, name), "utf8"),
    path: folder.path,
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

for (const name of ["lists.json", "tools.json", "pin.json"]) {
  test(`toolwire types ${name}: the types of its tools`, async () => {
    await using folder = await createFolder();
    const { code, out, errors } = await folder.run(name);
    deepStrictEqual([code, errors], [0, ""]);
    match(out, /readonly add: \{\n {4}readonly input: AddInput;\n {4}readonly output: AddOutput;/);
    match(out, /export type AddInput = \{\n {2}a: number;\n\};/);
  });
}

test("toolwire types api.json: the types of the tools of an OpenAPI document", async () => {
  await using folder = await createFolder();
  const { code, out } = await folder.run("api.json");
  strictEqual(code, 0);
  match(out, /readonly getPet: \{/);
  match(out, /tags\?: string\[\];/);
});

test("toolwire types --check: the file is compared, and not written", async () => {
  await using folder = await createFolder();
  deepStrictEqual((await folder.run("tools.json", "-o", "contract.ts", "--check")).code, 1);
  const written = await folder.run("tools.json", "--out", "contract.ts");
  deepStrictEqual([written.code, written.out], [0, ""]);
  deepStrictEqual((await folder.run("tools.json", "-o", "contract.ts", "--check")).code, 0);
  const before = statSync(join(folder.path, "contract.ts")).mtimeMs;
  match((await folder.run("tools.json", "-o", "contract.ts")).errors, /nothing has changed/);
  strictEqual(statSync(join(folder.path, "contract.ts")).mtimeMs, before);
  writeFileSync(join(folder.path, "contract.ts"), folder.read("contract.ts").replaceAll("\n", "\r\n"));
  deepStrictEqual((await folder.run("tools.json", "-o", "contract.ts", "--check")).code, 0);
  const changed = await folder.run("api.json", "-o", "contract.ts", "--check", "--json");
  deepStrictEqual([changed.code, JSON.parse(changed.out).isChanged], [1, true]);
  match(folder.read("contract.ts"), /readonly add: \{/);
});

test("a contract does not depend on the order of lists and members, and has a digest", async () => {
  const other = { ...ADD, name: "sum" };
  const { name, ...rest } = ADD;
  const one = await writeContract({ tools: [ADD, other], prompts: [{ name: "b" }, { name: "a" }] });
  const two = await writeContract({ tools: [other, { ...rest, name }], prompts: [{ name: "a" }, { name: "b" }] });
  strictEqual(one.text, two.text);
  match(one.text, new RegExp(`sha256-${one.digest}`));
  const changed = await writeContract({ tools: [{ ...ADD, description: "Adds up" }, other] });
  strictEqual(changed.digest === one.digest, false);
});

test("tools that a client cannot have as functions are named, and left out", async () => {
  const contract = await writeContract({ tools: [ADD, { ...ADD, name: "then" }, { ...ADD, name: "$" }] });
  deepStrictEqual(contract.leftOut, ["$", "then"]);
  strictEqual(/readonly (then|\$):/.test(contract.text), false);
});

test("malformed lists are types, too", async () => {
  const tools = [{
    name: "a",
    inputSchema: 5,
    outputSchema: "x",
    _meta: { "toolwire/contract": { errors: { e: 7 }, promises: 1 } },
  }];
  const odd = {
    tools,
    prompts: [{ name: "p", arguments: "x" }, { name: 5 }],
    resources: [null, { uri: "a:b", mimeType: 5 }],
  };
  const { text } = await writeContract(odd as never);
  match(text, /export type AInput = unknown;/);
  match(
    text,
    /readonly output: AOutput;\n {4}readonly partial: unknown;\n {4}readonly errors: \{\};\n {4}readonly promises: "never";/,
  );
  match(text, /readonly p: \{\};/);
  match(text, /readonly "a:b": string \| undefined;/);
});

/** Wrong use: the words, the exit code, and the message. */
const WRONG: readonly (readonly [words: readonly string[], code: number, message: RegExp])[] = [
  [[], 2, /target is missing/],
  [["tools.json", "--check"], 2, /--check has no file to compare[\s\S]*--out contract\.ts --check/],
  [["tools.json", "api.json"], 2, /one argument too many: "api\.json"/],
  [["missing.json"], 2, /Cannot read the file/],
  [["bad.json"], 2, /is not JSON/],
  [["empty.json"], 2, /empty\.json has no list of tools[\s\S]*toolwire list --json/],
  [["nameless.json"], 2, /entry 0 has no name/],
  [["old.json"], 2, /Cannot read the API of old\.json/],
  [["tools.json", "--out", "no/such/folder.ts"], 2, /Cannot write the file/],
  [["tools.json", "--chek"], 2, /chek/],
  [["http://127.0.0.1:9/openapi.json"], 4, /127\.0\.0\.1:9/],
];

for (const [words, code, message] of WRONG) {
  test(`toolwire types ${words.join(" ")}: exit code ${code}, and what to do`, async () => {
    await using folder = await createFolder();
    const result = await folder.run(...words);
    deepStrictEqual([result.code, result.out], [code, ""]);
    match(result.errors, message);
  });
}
