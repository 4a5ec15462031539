/**
 * Clients of other projects call the service: `@grpc/grpc-js` with the plain `.proto` files, Debian's `python3-grpcio` with
 * reflection only, and `buf curl` with both.
 *
 * Each makes the same calls to each server, and has to have the same findings.
 */
import { deepStrictEqual } from "node:assert/strict";
import { after } from "node:test";
import { findPython } from "../../../examples/grpc/python.ts";
import {
  command,
  findNode,
  type Found,
  type Program,
  runProgram,
  type Runtime,
  runtimes,
  startProgram,
  testWith,
} from "../../serve/programs.ts";
import { CROWD, LARGE, VALUES, ZIPPED } from "./foreign/amounts.ts";
import { findBuf, visitWithBuf } from "./foreign/buf_client.ts";

const FOLDER = "tests/wires/grpc/foreign";

const EVERYTHING = {
  discovery: {
    prompts: [{ name: "greet", description: "Greet someone" }],
    names: [
      ...["redeem", "cancel", "add", "echo", "mirror", "measure", "count", "slow", "locked", "refuse"],
      ...["watch", "aborted", "meet", "metadata"],
    ],
    add: {
      type: "math",
      schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    },
  },
  call: { content: { sum: 3 }, type: "ANSWER", version: "1.2.3" },
  stream: [{ partial: 1 }, { partial: 2 }, { partial: 3 }, { content: 6, type: "ANSWER" }],
  values: VALUES,
  failure: { content: { code: "locked", message: "It is locked", data: { by: "batch" } }, type: "FAILURE" },
  promise: { begun: "PROMISE", ended: { content: 42, type: "ANSWER" } },
  unknownTool: error("NOT_FOUND", "tool_not_found", "Tool not found: nope"),
  wrongArguments: {
    ...error(
      "INVALID_ARGUMENT",
      "invalid_input",
      'Invalid arguments at "a": Invalid type: Expected number but received "one"',
    ),
    fields: ["a"],
  },
  refusal: error("ALREADY_EXISTS", "conflict", "Déjà vu: 100 % „猫“\nagain"),
  pastDeadline: error("DEADLINE_EXCEEDED", "deadline_exceeded", "The call took longer than its deadline"),
  deadline: { code: "DEADLINE_EXCEEDED", isAborted: true },
  cancel: { heard: { partial: "watching" }, code: "CANCELLED", abortedBy: "cancelled" },
  large: {
    there: LARGE,
    back: LARGE,
    tooLargeForServer: error(
      "RESOURCE_EXHAUSTED",
      "payload_too_large",
      "The body is larger than 1048576 bytes, the server's limits.bodyBytes",
    ),
    tooLargeForClient: "RESOURCE_EXHAUSTED",
  },
  gzip: { encoding: "gzip", length: ZIPPED, tooLarge: "RESOURCE_EXHAUSTED" },
  crowd: CROWD.many as number,
  metadata: { text: "seen", bytes: "00ff10", isTimed: true },
  health: {
    server: "SERVING",
    service: "SERVING",
    unknown: "NOT_FOUND",
    watched: "SERVING",
    watchedUnknown: "SERVICE_UNKNOWN",
  },
  reflection: { v1: services(), v1alpha: services() },
};

function error(code: string, reason: string, message: string) {
  return { code, message, reason, domain: "toolwire", fields: [] as readonly string[] };
}

function services(): readonly string[] {
  const reflection = ["v1", "v1alpha"].map((version) => `grpc.reflection.${version}.ServerReflection`);
  return ["grpc.health.v1.Health", ...reflection, "mcplite.MCPLite"];
}

/** It does not compress, reads at most 4 MiB whatever the option, and runs a process for each RPC. */
function whatBufCan(): unknown {
  const { gzip: _gzip, large: { back: _back, ...large }, ...rest } = EVERYTHING;
  return { ...rest, large, crowd: CROWD.few };
}

/** Addresses of one server. */
interface Addresses {
  readonly grpc: string;
  readonly roomy: string;
}

/** A program that calls servers; all of them in one process if it supports that. */
interface Visitor {
  readonly name: string;
  readonly program: Found;
  readonly sees: unknown;
  visit(path: string, servers: readonly Addresses[]): Promise<readonly unknown[]>;
}

const python = findPython();

const visitors: readonly Visitor[] = [
  {
    name: "grpc-js",
    program: findNode(24),
    sees: EVERYTHING,
    visit: (path, servers) => readLines([path, `${FOLDER}/grpc_js_client.ts`, ...servers.map(formatJson)]),
  },
  {
    name: "python3-grpcio",
    program: python === undefined ? { missing: "python3-grpcio is not installed" } : { path: python },
    sees: EVERYTHING,
    visit(path, servers) {
      const amounts = formatJson({ large: LARGE, zipped: ZIPPED, crowd: CROWD.many, values: VALUES });
      return readLines([path, `${FOLDER}/python_client.py`, amounts, ...servers.map(formatJson)]);
    },
  },
  {
    name: "buf curl",
    program: findBuf(),
    sees: whatBufCan(),
    visit: (path, servers) => Promise.all(servers.map((server) => visitWithBuf(path, server).catch(String))),
  },
];

const formatJson = (value: unknown): string => JSON.stringify(value);

/** Runs a client that prints one line of JSON for each server. */
async function readLines(client: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runProgram(client, { withinMs: 120_000 });
  if (code !== 0) throw new Error(`${client.slice(0, 2).join(" ")} ended with ${code}:\n${stderr}`);
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const programs: Program[] = [];
after(() => Promise.all(programs.map((program) => program[Symbol.asyncDispose]())));

const found = runtimes.filter(({ program }) => "path" in program);
let started: Promise<readonly Addresses[]> | undefined;

async function start(runtime: Runtime): Promise<Addresses> {
  const path = "path" in runtime.program ? runtime.program.path : "";
  const program = await startProgram(command(runtime, path, `${FOLDER}/server_program.ts`), { url: /^\{.*\}$/m });
  programs.push(program);
  return JSON.parse(program.url);
}

for (const { name, program, sees, visit } of visitors) {
  let seen: Promise<readonly unknown[]> | undefined;
  for (const runtime of runtimes) {
    testWith(`${name} meets a server on ${runtime.name}`, [program, runtime.program], async (path) => {
      started ??= Promise.all(found.map(start));
      seen ??= visit(path, await started);
      const result = (await seen)[found.indexOf(runtime)];
      // The size of a body is in the message if the client declares it.
      deepStrictEqual(JSON.parse(formatJson(result).replace(/(limits\.bodyBytes); it has \d+/, "$1")), sees);
    }, 240_000);
  }
}
