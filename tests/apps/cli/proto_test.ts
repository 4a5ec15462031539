/** `toolwire proto`: the text of the file, files that are compared, wrong use. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeProto } from "../../../apps/cli/contract/proto_text.ts";
import { createTypedService } from "../../../src/wires/grpc/messages/typed/service.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

const FIND = {
  name: "find_user",
  title: "Find",
  description: "Finds a user\n*/ }",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "integer", minimum: 1, maximum: 1000 },
      userName: { type: "string", description: "Its name" },
      user_name: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" } },
      matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
      counts: { type: "object", additionalProperties: { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 } },
      parent: { $ref: "#/$defs/node" },
      nick: { type: ["string", "null"] },
      any: {},
      '@"type': { type: "boolean" },
    },
    required: ["id"],
    $defs: {
      node: {
        type: "object",
        properties: { next: { $ref: "#/$defs/node" }, at: { anyOf: [{ type: "number" }, { type: "null" }] } },
        required: ["at"],
      },
    },
  },
  outputSchema: { type: "number" },
};

const TEXT = `message FindUserInput {
  message MatrixList {
    repeated double items = N;
  }

  message Node {
    .docs.FindUserInput.Node next = N;
    optional double at = N;
  }

  message NickOrNull {
    optional string value = N;
  }

  // An integer. Minimum: 1. Maximum: 1000.
  int32 id = N;
  // Its name
  optional string user_name_N = N [json_name = "userName"];
  // One of: "a", "b".
  optional string user_name = N [json_name = "user_name"];
  repeated string tags = N;
  repeated MatrixList matrix = N;
  map<string, uint32> counts = N;
  Node parent = N;
  NickOrNull nick = N;
  google.protobuf.Value any = N;
  optional bool type = N [json_name = "@\\"type"];
}
`;

test("the messages of a tool, with comments, names of the schemas and numbers of their own", () => {
  const text = writeProto(createTypedService([FIND], "docs"));
  ok(text.includes('package docs;\n\nimport "google/protobuf/struct.proto";\n\nservice Tools {\n  // Find\n'), text);
  ok(text.includes("  // Finds a user\n  // */ }\n  rpc FindUser(FindUserInput) returns (FindUserOutput);\n}\n"), text);
  const message = text.replaceAll(/\d{5,}/g, "N").match(/message FindUserInput \{.*?^\}\n/ms)?.[0];
  strictEqual(message, TEXT);
});

test("a number depends on the name and the type of its property alone", () => {
  const numbers = (properties: Readonly<Record<string, unknown>>, name = "add") => {
    const tool = { name, inputSchema: { type: "object", properties } };
    const message = createTypedService([tool], "p").messages[0];
    return Object.fromEntries(message?.fields.map(({ key, number }) => [key, number]) ?? []);
  };
  const [a, b] = [{ type: "integer" }, { type: "string" }];
  const { a: numberOfA, b: numberOfB } = numbers({ a, b });
  // Written down: clients have them in their stubs, so that they must never change.
  deepStrictEqual([numberOfA, numberOfB], [272413778, 226602295]);
  deepStrictEqual(numbers({ c: b, b, a: { ...a, minimum: 0, maximum: 5 } }, "other"), {
    ...numbers({ c: b }),
    b: numberOfB,
    a: numberOfA,
  });
  ok(numbers({ a: b })["a"] !== numberOfA);
});

async function createFolder() {
  const folder = await temporaryFolder();
  writeFileSync(join(folder.path, "tools.json"), JSON.stringify([FIND]));
  const run = (...args: readonly string[]) => runHere({ cwd: folder.path }, "proto", "tools.json", ...args);
  return { run, path: folder.path, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("toolwire proto writes the file, and compares it", async () => {
  await using folder = await createFolder();
  const file = join(folder.path, "docs.proto");
  const flags = ["--package", "docs", "-o", "docs.proto"];
  deepStrictEqual(await folder.run(...flags), { code: 0, out: "", errors: "docs.proto: written\n" });
  strictEqual(readFileSync(file, "utf8"), (await folder.run("--package", "docs")).out);
  strictEqual((await folder.run(...flags, "--check")).errors, "docs.proto is up to date\n");
  writeFileSync(file, readFileSync(file, "utf8").replace("int32 id", "int64 id"));
  const stale = await folder.run(...flags, "--check");
  strictEqual(stale.code, 1);
  match(stale.errors, /docs\.proto differs from the server, from line \d+: write it without --check/);
});

test("toolwire proto refuses wrong use with the flag to add", async () => {
  await using folder = await createFolder();
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [[], /tools\.json does not say its name[\s\S]*--package acme\.docs\.v1/],
    [["--package", "google.docs"], /"google\.docs" is not the name of a package/],
    [["--package", "docs", "--check"], /--check has no file to compare[\s\S]*--out docs\.proto --check/],
  ];
  for (const [args, text] of wrong) {
    const { code, errors } = await folder.run(...args);
    strictEqual(code, 2);
    match(errors, text);
  }
});
