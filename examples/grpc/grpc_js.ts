/**
 * `@grpc/grpc-js`, which knows nothing of Toolwire: all that it is given is `proto/mcplite.proto`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import {
  type ClientReadableStream,
  credentials,
  makeClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { fromStruct, type Struct, toStruct } from "./struct.ts";
import { REPORT, SEARCH, type Task, TOO_MUCH, type Visit, WAIT_MS } from "./visit.ts";

const { "mcplite.MCPLite": definition } = loadSync("mcplite.proto", {
  includeDirs: [fileURLToPath(new URL("../../proto", import.meta.url))],
  keepCase: true,
});
const MCPLite = makeClientConstructor(definition as ServiceDefinition, "mcplite.MCPLite");

interface ToolsList {
  readonly tools: readonly { readonly name: string }[];
}
interface ToolResponse {
  readonly result: Struct;
  /** Only the last of a stream has it. */
  readonly meta?: unknown;
}

/** Visits the library. */
export async function visitWithGrpcJs({ address, token }: Task): Promise<Visit> {
  const client = new MCPLite(address, credentials.createInsecure());
  const ask = <Answer>(method: string, request: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      client[method]?.(request, (error: Error | null, answer: Answer) =>
        error === null ? resolve(answer) : reject(error));
    });
  const requestOf = (name: string, args: object) => ({ name, arguments: toStruct({ ...args }) });
  const call = async <Content>(name: string, args: object) => {
    const { result } = await ask<ToolResponse>("CallTool", requestOf(name, args));
    return fromStruct(result)["content"] as Content;
  };

  const { tools } = await ask<ToolsList>("GetTools", {});
  const hits = await call<{ title: string }[]>("search_documents", SEARCH);
  const stream = client["CallToolStream"]?.(requestOf("generate_report", REPORT)) as ClientReadableStream<ToolResponse>;
  const report: string[] = [];
  for await (const { result, meta } of stream as AsyncIterable<ToolResponse>) {
    if (meta === undefined) report.push(fromStruct(result)["partial"] as string);
  }
  const analysis = await call<{ row_count: number }>("redeem", { promise: token, wait_ms: WAIT_MS });
  const refusal = await call("search_documents", TOO_MUCH).then(() => "none", (error: ServiceError) => error.details);
  client.close();
  return {
    tools: tools.map(({ name }) => name),
    found: hits.map(({ title }) => title),
    report,
    rows: analysis.row_count,
    refusal,
  };
}
