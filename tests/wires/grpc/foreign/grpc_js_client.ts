/**
 * `@grpc/grpc-js` with the plain `.proto` files: calls the servers in its arguments, and prints its findings of each.
 *
 * `grpc_js_client.ts <JSON of {grpc, roomy}> …` → one line of JSON a server.
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import * as grpc from "@grpc/grpc-js";
import { loadSync, type MessageTypeDefinition } from "@grpc/proto-loader";
import { fromStruct, type Struct, toStruct } from "../../../../examples/grpc/struct.ts";
import { CROWD, LARGE, VALUES, ZIPPED } from "./amounts.ts";

const files = [
  "mcplite.proto",
  "grpc/health/v1/health.proto",
  "grpc/reflection/v1/reflection.proto",
  "grpc/reflection/v1alpha/reflection.proto",
  "google/rpc/status.proto",
  "google/rpc/error_details.proto",
];
const definition = loadSync(files, {
  includeDirs: ["proto", "proto/third_party"],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
});

/** A response, as the loader returns it. */
interface ToolResponse {
  readonly result: Struct;
  readonly meta: null | {
    readonly response_type: string;
    readonly promise_token: string;
    readonly server_version: string;
  };
}

interface StatusDetails {
  readonly details: readonly { readonly type_url: string; readonly value: Buffer }[];
}
interface ErrorInfo {
  readonly reason: string;
  readonly domain: string;
}
interface BadRequest {
  readonly field_violations: readonly { readonly field: string }[];
}
interface ListServices {
  readonly list_services_response: { readonly service: readonly { readonly name: string }[] };
}

const Channels = {
  tools: serviceOf("mcplite.MCPLite"),
  health: serviceOf("grpc.health.v1.Health"),
  v1: serviceOf("grpc.reflection.v1.ServerReflection"),
  v1alpha: serviceOf("grpc.reflection.v1alpha.ServerReflection"),
};

function serviceOf(name: string): grpc.ServiceClientConstructor {
  return grpc.makeClientConstructor(definition[name] as grpc.ServiceDefinition, name);
}

function open(Service: grpc.ServiceClientConstructor, url: string, options: grpc.ClientOptions = {}) {
  return new Service(new URL(url).host, grpc.credentials.createInsecure(), options);
}

type Client = ReturnType<typeof open>;

/** A unary RPC. */
function ask<Answer>(
  client: Client,
  method: string,
  request: unknown,
  metadata: grpc.Metadata = new grpc.Metadata(),
  options: grpc.CallOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client[method]?.(
      request,
      metadata,
      options,
      (error: Error | null, answer: Answer) => error === null ? resolve(answer) : reject(error),
    );
  });
}

function requestOf(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  meta?: Readonly<Record<string, unknown>>,
) {
  return { name, arguments: toStruct(args), ...(meta !== undefined && { meta: toStruct(meta) }) };
}

function call(client: Client, name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolResponse> {
  return ask<ToolResponse>(client, "CallTool", requestOf(name, args));
}

async function contentOf(response: Promise<ToolResponse>): Promise<unknown> {
  return fromStruct((await response).result)["content"];
}

function stream(client: Client, name: string, args: Readonly<Record<string, unknown>>) {
  return client["CallToolStream"]?.(requestOf(name, args)) as grpc.ClientReadableStream<ToolResponse>;
}

function summaryOf({ result, meta }: ToolResponse): unknown {
  return { ...fromStruct(result), ...(meta !== null && { type: meta.response_type }) };
}

async function statusOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return `answered ${JSON.stringify(await answer).slice(0, 100)}`;
  } catch (thrown) {
    return grpc.status[(thrown as grpc.ServiceError).code];
  }
}

async function errorOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return `answered ${JSON.stringify(await answer)}`;
  } catch (thrown) {
    const { code, details: message, metadata } = thrown as grpc.ServiceError;
    const [status = new Uint8Array()] = metadata.get("grpc-status-details-bin");
    const { details } = decode<StatusDetails>("google.rpc.Status", status);
    const detail = <Detail>(type: string): Detail | undefined => {
      const found = details.find(({ type_url }) => type_url === `type.googleapis.com/${type}`);
      return found && decode<Detail>(type, found.value);
    };
    const { reason, domain } = detail<ErrorInfo>("google.rpc.ErrorInfo") ?? {};
    const fields = detail<BadRequest>("google.rpc.BadRequest")?.field_violations.map(({ field }) => field) ?? [];
    return { code: grpc.status[code], message, reason, domain, fields };
  }
}

function decode<Message>(type: string, bytes: string | Uint8Array): Message {
  return (definition[type] as MessageTypeDefinition<object, object>).deserialize(Buffer.from(bytes)) as Message;
}

async function promiseAndRedeem(client: Client): Promise<unknown> {
  const { meta } = await call(client, "slow", { n: 21 });
  const redeemed = await call(client, "redeem", { promise: meta?.promise_token ?? "", wait_ms: 20_000 });
  return { begun: meta?.response_type, ended: summaryOf(redeemed) };
}

async function meetDeadline(client: Client): Promise<unknown> {
  const deadline = Date.now() + 300;
  const request = requestOf("watch", { id: "grpc-js deadline" });
  const code = await statusOf(ask(client, "CallTool", request, new grpc.Metadata(), { deadline }));
  return { code, isAborted: typeof await contentOf(call(client, "aborted", { id: "grpc-js deadline" })) === "string" };
}

async function cancel(client: Client): Promise<unknown> {
  const watching = stream(client, "watch", { id: "grpc-js cancel" });
  const code = new Promise((resolve) =>
    watching.once("error", ({ code }: grpc.ServiceError) => resolve(grpc.status[code]))
  );
  const heard = await new Promise((resolve) => watching.once("data", (one) => resolve(summaryOf(one))));
  watching.cancel();
  return { heard, code: await code, abortedBy: await contentOf(call(client, "aborted", { id: "grpc-js cancel" })) };
}

async function sendLarge(usual: Client, roomy: string): Promise<unknown> {
  const text = "x".repeat(LARGE);
  const strict = open(Channels.tools, roomy);
  const raised = open(Channels.tools, roomy, { "grpc.max_receive_message_length": -1 });
  const back = await contentOf(call(raised, "echo", { text }));
  const seen = {
    there: await contentOf(call(strict, "measure", { text })),
    back: (back as string).length,
    tooLargeForServer: await errorOf(call(usual, "echo", { text })),
    tooLargeForClient: await statusOf(call(strict, "echo", { text })),
  };
  strict.close();
  raised.close();
  return seen;
}

async function zip(url: string): Promise<unknown> {
  const client = open(Channels.tools, url, {
    "grpc.default_compression_algorithm": grpc.compressionAlgorithms.gzip,
  });
  const seen = {
    encoding: (await contentOf(call(client, "metadata")) as { encoding: unknown }).encoding,
    length: await contentOf(call(client, "measure", { text: "x".repeat(ZIPPED) })),
    tooLarge: await statusOf(call(client, "measure", { text: "x".repeat(LARGE) })),
  };
  client.close();
  return seen;
}

async function meet(client: Client): Promise<unknown> {
  const answers = Array.from({ length: CROWD.many }, async () => {
    const responses = await Array.fromAsync(stream(client, "meet", { id: "grpc-js", crowd: CROWD.many }));
    return fromStruct((responses.at(-1) as ToolResponse).result)["content"] as number;
  });
  return new Set(await Promise.all(answers)).size;
}

async function showMetadata(client: Client): Promise<unknown> {
  const metadata = new grpc.Metadata();
  metadata.set("X-Text", "seen");
  metadata.set("x-bytes-bin", Buffer.from([0, 255, 16]));
  const request = ask<ToolResponse>(client, "CallTool", requestOf("metadata"), metadata, {
    deadline: Date.now() + 10_000,
  });
  const { text, bytes, timeout } = await contentOf(request) as Readonly<Record<string, string>>;
  return { text, bytes, isTimed: /^\d+[mun]$/i.test(timeout ?? "") };
}

async function checkHealth(url: string): Promise<unknown> {
  const client = open(Channels.health, url);
  const check = async (service: string) => (await ask<{ status: string }>(client, "Check", { service })).status;
  const watch = async (service: string) => {
    const watching = client["Watch"]?.({ service }) as grpc.ClientReadableStream<{ status: string }>;
    watching.on("error", () => {});
    const { status } = await new Promise<{ status: string }>((resolve) => watching.once("data", resolve));
    watching.cancel();
    return status;
  };
  const seen = {
    server: await check(""),
    service: await check("mcplite.MCPLite"),
    unknown: await statusOf(check("nobody")),
    watched: await watch(""),
    watchedUnknown: await watch("nobody"),
  };
  client.close();
  return seen;
}

async function listServices(Service: grpc.ServiceClientConstructor, url: string): Promise<unknown> {
  const client = open(Service, url);
  const asking = client["ServerReflectionInfo"]?.() as grpc.ClientDuplexStream<object, ListServices>;
  asking.end({ list_services: "" });
  const answers = await Array.fromAsync(asking) as ListServices[];
  client.close();
  return answers.flatMap(({ list_services_response: { service } }) => service.map(({ name }) => name)).sort();
}

async function discover(client: Client): Promise<unknown> {
  const { tools } = await ask<{ tools: { name: string; type: string; input_schema: Struct }[] }>(
    client,
    "GetTools",
    {},
  );
  const { prompts } = await ask<{ prompts: { name: string; description: string }[] }>(client, "GetPrompts", {});
  const add = tools.find(({ name }) => name === "add");
  return {
    prompts: prompts.map(({ name, description }) => ({ name, description })),
    names: tools.map(({ name }) => name),
    add: add && { type: add.type, schema: fromStruct(add.input_schema) },
  };
}

async function meetServer({ grpc: url, roomy }: { grpc: string; roomy: string }): Promise<unknown> {
  const client = open(Channels.tools, url);
  const added = await call(client, "add", { a: 1, b: 2 });
  const seen = {
    discovery: await discover(client),
    call: { ...summaryOf(added) as object, version: added.meta?.server_version },
    stream: (await Array.fromAsync(stream(client, "count", { to: 3 }))).map((one) => summaryOf(one as ToolResponse)),
    values: await contentOf(call(client, "mirror", VALUES)),
    failure: summaryOf(await call(client, "locked")),
    promise: await promiseAndRedeem(client),
    unknownTool: await errorOf(call(client, "nope")),
    wrongArguments: await errorOf(call(client, "add", { a: "one", b: 2 })),
    refusal: await errorOf(call(client, "refuse")),
    pastDeadline: await errorOf(ask(client, "CallTool", requestOf("watch", { id: "grpc-js" }, { deadline_ms: 20 }))),
    deadline: await meetDeadline(client),
    cancel: await cancel(client),
    large: await sendLarge(client, roomy),
    gzip: await zip(url),
    crowd: await meet(client),
    metadata: await showMetadata(client),
    health: await checkHealth(url),
    reflection: { v1: await listServices(Channels.v1, url), v1alpha: await listServices(Channels.v1alpha, url) },
  };
  client.close();
  return seen;
}

for (const server of process.argv.slice(2)) {
  const seen = await meetServer(JSON.parse(server)).catch((thrown) => `${thrown?.stack ?? thrown}`);
  console.log(JSON.stringify(seen));
}
