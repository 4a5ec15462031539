/** Stubs that protoc generates from `toolwire proto`, in Python and Go, call the typed service of a server. */
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, Failure } from "../../../mod.ts";
import { writeProto } from "../../../apps/cli/contract/proto_text.ts";
import { serve } from "../../../src/entries/serve.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { describeFile } from "../../../src/wires/grpc/messages/typed/descriptor.ts";
import { createTypedService } from "../../../src/wires/grpc/messages/typed/service.ts";
import { type Found, root, runProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const PYTHON = join(root, ".cache/generators/grpc/bin/python");
const GO = join(root, ".cache/generators/grpc/bin/go");
const GO_FOLDER = join(root, ".cache/generators/go");
const STUBS = join(root, "tests/wires/grpc/stubs");

function installed(path: string): Found {
  return existsSync(path) ? { path } : { missing: `${path} is missing: node scripts/install_grpc_tools.mjs` };
}

const python = installed(PYTHON);
const go = installed(join(GO_FOLDER, "bin/protoc-gen-go-grpc"));

const integer = v.pipe(v.number(), v.integer(), v.minValue(-1000), v.maxValue(1000));

const OPTIONS = {
  name: "docs",
  tools: [
    defineTool("find_user").describe("Find a user")
      .input(v.object({
        id: v.pipe(integer, v.minValue(1)),
        tags: v.optional(v.array(v.string())),
        at: v.optional(v.object({ x: integer })),
        any: v.optional(v.unknown()),
        "@type": v.optional(v.nullable(v.picklist(["a", "b"]))),
      }))
      .output(v.object({
        id: integer,
        userName: v.string(),
        tags: v.array(v.string()),
        counts: v.record(v.string(), integer),
        bestFriend: v.nullable(v.string()),
      }))
      .handle(({ id, tags = [], at = { x: 0 } }) => {
        return { id, userName: "Ada", tags, counts: { x: at.x }, bestFriend: null };
      }),
    defineTool("count").describe("Count").input(v.object({ to: integer })).partial(v.object({ at: integer }))
      .output(integer).handle(async function* ({ to }) {
        for (let at = 1; at <= to; at++) yield { at };
        return to;
      }),
    defineTool("render").describe("Render").input(v.object({ name: v.string() })).output(v.object({ url: v.string() }))
      .promise({ budgetMs: 60_000 }).handle(({ name }) => ({ url: `/${name}` })),
    defineTool("locked").describe("Fail").handle((): string => {
      throw new Failure("locked", "It is locked");
    }),
  ],
  wires: [grpc({ typed: true })],
  keys: "k1:a secret that only these tests know",
} as const;

const service = createTypedService(createServer(OPTIONS)["~server"].host.tools.map((tool) => ({ ...tool })), "docs");

const SEEN = {
  user: [7, "Ada", ["a", "b"], { x: -1 }],
  stream: [["partial", 1], ["partial", 2], ["output", 2]],
  redeemed: "/b",
};

/** Writes the file, runs protoc, and calls `visit` with the folder and the address of the server. */
async function withStubs(
  flags: (folder: string) => readonly string[],
  visit: (folder: string, address: string) => Promise<unknown>,
): Promise<unknown> {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "docs.proto"), writeProto(service));
  await run([PYTHON, "-m", "grpc_tools.protoc", `-I${folder.path}`, ...flags(folder.path), "docs.proto"]);
  const { grpcUrl = "", close } = await serve(createServer(OPTIONS), { port: 0, graceMs: 0, grpc: { port: 0 } });
  try {
    return await visit(folder.path, new URL(grpcUrl).host);
  } finally {
    await close();
  }
}

async function run(command: readonly string[], options: Parameters<typeof runProgram>[1] = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(command, { withinMs: 240_000, ...options });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${stderr}`);
  strictEqual(/warning/i.exec(stderr), null, stderr);
  return stdout;
}

testWith("Python stubs call the typed service, and protoc has the descriptor of reflection", [python], async () => {
  const flags = (folder: string) => [
    `--python_out=${folder}`,
    `--grpc_python_out=${folder}`,
    `--descriptor_set_out=${join(folder, "docs.bin")}`,
  ];
  const seen = await withStubs(flags, async (folder, address) => {
    const [file] = fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "docs.bin"))).file;
    deepStrictEqual(file, describeFile(service).proto);
    return JSON.parse(await run([PYTHON, join(STUBS, "client.py"), folder, address]));
  });
  deepStrictEqual(seen, {
    ...SEEN,
    begun: "promise",
    locked: ["FAILED_PRECONDITION", "It is locked"],
    invalid: "INVALID_ARGUMENT",
  });
}, 300_000);

testWith("Go stubs call the typed service", [python, go], async () => {
  const flags = (folder: string) =>
    ["go", "go-grpc"].flatMap((name) => [
      `--plugin=${join(GO_FOLDER, "bin", `protoc-gen-${name}`)}`,
      `--${name}_out=${folder}`,
      `--${name}_opt=Mdocs.proto=toolwire.test/stubs/docs,module=toolwire.test/stubs`,
    ]);
  const seen = await withStubs(flags, async (folder, address) => {
    mkdirSync(join(folder, "docs"), { recursive: true });
    for (const file of ["go.mod", "go.sum", "main.go"]) cpSync(join(STUBS, file), join(folder, file));
    const env = {
      GOCACHE: join(GO_FOLDER, "cache"),
      GOMODCACHE: join(GO_FOLDER, "modules"),
      GOFLAGS: "-modcacherw",
      GOPROXY: "off",
      GOTOOLCHAIN: "local",
    };
    await run([GO, "build", "-o", "stubs", "."], { cwd: folder, env });
    return JSON.parse(await run([join(folder, "stubs"), address]));
  });
  deepStrictEqual(seen, {
    ...SEEN,
    locked: ["FailedPrecondition", "It is locked", "locked", "docs"],
    invalid: ["invalid_input", "toolwire"],
  });
}, 300_000);
