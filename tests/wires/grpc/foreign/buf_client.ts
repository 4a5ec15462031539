/** `buf curl`: calls a server, and returns its findings. Each RPC is a process. */
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fromBinary } from "@bufbuild/protobuf";
import {
  BadRequestSchema,
  ErrorInfoSchema,
} from "../../../../src/wires/grpc/messages/gen/google/rpc/error_details_pb.ts";
import { findProgram, type Found, root, runProgram, startProgram } from "../../../serve/programs.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { CROWD, LARGE, VALUES } from "./amounts.ts";

/** A response, in the JSON of Protocol Buffers. */
interface ToolResponse {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly meta?: {
    readonly responseType: string;
    readonly promiseToken: string;
    readonly serverVersion: string;
  };
}

interface RpcError {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

const CALL = "mcplite.MCPLite/CallTool";
const STREAM = "mcplite.MCPLite/CallToolStream";

const GRPC = ["--protocol", "grpc", "--http2-prior-knowledge"];

/** Sources of the schema: the tool service, all services including the standard ones, and none, so that reflection is used. */
const OURS = ["--schema", "proto"];
const ALL = ["--schema", "."];
const REFLECTED: readonly string[] = [];

/** Path of the program of buf. It starts in a fraction of the time that the command of its package takes. */
export function findBuf(): Found {
  const path = join(root, `node_modules/@bufbuild/buf-${process.platform}-${process.arch}/bin/buf`);
  return existsSync(path) ? { path } : findProgram("buf");
}

class Buf {
  readonly #path: string;
  readonly #url: string;

  constructor(path: string, url: string) {
    this.#path = path;
    this.#url = url;
  }

  command(method: string, request: unknown, flags: readonly string[]): readonly string[] {
    const data = typeof request === "string" ? request : JSON.stringify(request);
    return [this.#path, "curl", ...GRPC, "--emit-defaults", ...flags, "--data", data, `${this.#url}/${method}`];
  }

  /** All responses, or the error. */
  async ask<Answer>(method: string, request: unknown, flags: readonly string[] = OURS): Promise<readonly Answer[]> {
    const { code, stdout, stderr } = await runProgram(this.command(method, request, flags));
    if (code !== 0) throw Object.assign(new Error(stderr), { answers: readAll<Answer>(stdout) });
    return readAll(stdout);
  }

  async call(name: string, args: unknown = {}, flags: readonly string[] = OURS): Promise<ToolResponse> {
    const [response] = await this.ask<ToolResponse>(CALL, { name, arguments: args }, flags);
    return response as ToolResponse;
  }

  /** Names of the listed services. */
  async list(version: string): Promise<readonly string[]> {
    const flags = [...GRPC, "--reflect-protocol", `grpc-${version}`, "--list-services"];
    const { stdout } = await runProgram([this.#path, "curl", ...flags, this.#url]);
    return stdout.split("\n").filter((line) => line !== "").sort();
  }
}

/** Parses a sequence of JSON values, each of which ends with a line that is a brace. */
function readAll<Value>(text: string): readonly Value[] {
  return text.split(/(?<=^\})\n/m).filter((one) => one.trim() !== "").map((one) => JSON.parse(one) as Value);
}

async function contentOf(response: Promise<ToolResponse>): Promise<unknown> {
  return (await response).result?.["content"];
}

function summaryOf({ result, meta }: ToolResponse): unknown {
  return { ...result, ...(meta && { type: meta.responseType }) };
}

async function failureOf(answer: Promise<unknown>): Promise<RpcError> {
  try {
    return { code: "answered", message: JSON.stringify(await answer).slice(0, 100) };
  } catch (thrown) {
    return JSON.parse((thrown as Error).message) as RpcError;
  }
}

/** Name of a status, as the other clients spell it. */
function statusName(code: string): string {
  return code === "canceled" ? "CANCELLED" : code.toUpperCase();
}

async function statusOf(answer: Promise<unknown>): Promise<unknown> {
  return statusName((await failureOf(answer)).code);
}

async function errorOf(answer: Promise<unknown>): Promise<unknown> {
  const { code, message, details = [] } = await failureOf(answer);
  const bytesOf = (type: string) => Buffer.from(details.find((detail) => detail.type === type)?.value ?? "", "base64");
  const { reason, domain } = fromBinary(ErrorInfoSchema, bytesOf("google.rpc.ErrorInfo"));
  const { fieldViolations } = fromBinary(BadRequestSchema, bytesOf("google.rpc.BadRequest"));
  return { code: statusName(code), message, reason, domain, fields: fieldViolations.map(({ field }) => field) };
}

async function discover(buf: Buf): Promise<unknown> {
  interface Tools {
    readonly tools: readonly { readonly name: string; readonly type: string; readonly inputSchema: unknown }[];
  }
  interface Prompts {
    readonly prompts: readonly { readonly name: string; readonly description: string }[];
  }
  const [{ tools } = { tools: [] }] = await buf.ask<Tools>("mcplite.MCPLite/GetTools", {});
  const [{ prompts } = { prompts: [] }] = await buf.ask<Prompts>("mcplite.MCPLite/GetPrompts", {}, REFLECTED);
  const add = tools.find(({ name }) => name === "add");
  return {
    prompts: prompts.map(({ name, description }) => ({ name, description })),
    names: tools.map(({ name }) => name),
    add: add && { type: add.type, schema: add.inputSchema },
  };
}

async function promiseAndRedeem(buf: Buf): Promise<unknown> {
  const { meta } = await buf.call("slow", { n: 21 });
  const redeemed = await buf.call("redeem", { promise: meta?.promiseToken, wait_ms: 20_000 }, REFLECTED);
  return { begun: meta?.responseType, ended: summaryOf(redeemed) };
}

async function meetDeadline(buf: Buf): Promise<unknown> {
  // Has to include the start of a process.
  const code = await statusOf(buf.call("watch", { id: "buf deadline" }, [...OURS, "--timeout", "2s"]));
  return { code, isAborted: typeof await contentOf(buf.call("aborted", { id: "buf deadline" })) === "string" };
}

/** `buf` ends by the signal itself now and then, without its error: that is its race, and it is started once more. */
async function cancel(buf: Buf): Promise<unknown> {
  const ids = ["buf cancel", "buf cancel again", "buf cancel at last"];
  for (const id of ids.slice(0, -1)) {
    try {
      return await cancelOnce(buf, id);
    } catch (thrown) {
      if (!/ ended before it printed /.test(String(thrown))) throw thrown;
    }
  }
  return await cancelOnce(buf, ids.at(-1)!);
}

async function cancelOnce(buf: Buf, id: string): Promise<unknown> {
  const command = buf.command(STREAM, { name: "watch", arguments: { id } }, OURS);
  await using watching = await startProgram(command, { url: false });
  const [heard] = await watching.printed(/^\{[^]*?^\}/m);
  // To the whole process group: the command may be a script that starts the program.
  process.kill(-watching.pid, "SIGINT");
  const [error] = await watching.printed(/"code": "(.*)"/);
  const { code } = JSON.parse(`{${error}}`) as RpcError;
  const abortedBy = await contentOf(buf.call("aborted", { id }));
  return { heard: summaryOf(omitNull(JSON.parse(heard))), code: statusName(code), abortedBy };
}

function omitNull(
  { result, meta }: { result: ToolResponse["result"]; meta: ToolResponse["meta"] | null },
): ToolResponse {
  return { ...(result && { result }), ...(meta && { meta }) };
}

async function sendLarge(usual: Buf, roomy: Buf): Promise<unknown> {
  await using folder = await temporaryFolder();
  const requestOf = async (name: string) => {
    const path = join(folder.path, `${name}.json`);
    await writeFile(path, JSON.stringify({ name, arguments: { text: "x".repeat(LARGE) } }));
    return `@${path}`;
  };
  const [measured] = await roomy.ask<ToolResponse>(CALL, await requestOf("measure"));
  return {
    there: measured?.result?.["content"],
    tooLargeForServer: await errorOf(usual.ask(CALL, await requestOf("echo"))),
    tooLargeForClient: await statusOf(roomy.ask(CALL, await requestOf("echo"))),
  };
}

async function meet(buf: Buf): Promise<unknown> {
  const request = { name: "meet", arguments: { id: "buf", crowd: CROWD.few } };
  const answers = Array.from({ length: CROWD.few }, async () => {
    return (await buf.ask<ToolResponse>(STREAM, request)).at(-1)?.result?.["content"];
  });
  return new Set(await Promise.all(answers)).size;
}

async function showMetadata(buf: Buf): Promise<unknown> {
  const headers = ["--header", "X-Text: seen", "--header", "x-bytes-bin: AP8Q", "--timeout", "20s"];
  const shown = await contentOf(buf.call("metadata", {}, [...OURS, ...headers])) as Readonly<Record<string, string>>;
  return { text: shown["text"], bytes: shown["bytes"], isTimed: /^\d+[mun]$/i.test(shown["timeout"] ?? "") };
}

async function checkHealth(buf: Buf): Promise<unknown> {
  interface Health {
    readonly status: string;
  }
  const check = async (service: string, flags: readonly string[]) =>
    (await buf.ask<Health>("grpc.health.v1.Health/Check", { service }, flags))[0]?.status;
  const watch = async (service: string) => {
    await using watching = await startProgram(buf.command("grpc.health.v1.Health/Watch", { service }, REFLECTED), {
      url: false,
    });
    return (await watching.printed(/"status": "(.*)"/))[1];
  };
  return {
    server: await check("", ALL),
    service: await check("mcplite.MCPLite", REFLECTED),
    unknown: await statusOf(check("nobody", ALL)),
    watched: await watch(""),
    watchedUnknown: await watch("nobody"),
  };
}

/** Calls a server. */
export async function visitWithBuf(path: string, { grpc, roomy }: { grpc: string; roomy: string }): Promise<unknown> {
  const buf = new Buf(path, grpc);
  const added = await buf.call("add", { a: 1, b: 2 }, REFLECTED);
  const counted = await buf.ask<Parameters<typeof omitNull>[0]>(STREAM, { name: "count", arguments: { to: 3 } });
  return {
    discovery: await discover(buf),
    call: { ...summaryOf(added) as object, version: added.meta?.serverVersion },
    stream: counted.map((one) => summaryOf(omitNull(one))),
    values: await contentOf(buf.call("mirror", VALUES)),
    failure: summaryOf(await buf.call("locked")),
    promise: await promiseAndRedeem(buf),
    unknownTool: await errorOf(buf.call("nope")),
    wrongArguments: await errorOf(buf.call("add", { a: "one", b: 2 }, REFLECTED)),
    refusal: await errorOf(buf.call("refuse")),
    pastDeadline: await errorOf(
      buf.ask(CALL, { name: "watch", arguments: { id: "buf" }, meta: { deadline_ms: 20 } }),
    ),
    deadline: await meetDeadline(buf),
    cancel: await cancel(buf),
    large: await sendLarge(buf, new Buf(path, roomy)),
    crowd: await meet(buf),
    metadata: await showMetadata(buf),
    health: await checkHealth(buf),
    reflection: { v1: await buf.list("v1"), v1alpha: await buf.list("v1alpha") },
  };
}
