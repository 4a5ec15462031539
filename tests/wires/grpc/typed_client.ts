/** A caller of typed services: it knows only what reflection says, and uses protobuf-es. */
import {
  create,
  createFileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  type Registry,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import type { Server } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { ErrorInfoSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/error_details_pb.ts";
import { ResponseMetaSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { StatusSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/status_pb.ts";
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "../../../src/wires/grpc/messages/gen/grpc/reflection/v1/reflection_pb.ts";
import { frame, framesOf } from "./frames.ts";
import { openSession, send2 } from "./http2_calls.ts";

const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/** A failed call. */
export interface TypedError {
  readonly code: number;
  readonly message: string;
  readonly reason: string | undefined;
  readonly domain: string | undefined;
  readonly data: JsonValue | undefined;
  /** The `ResponseMeta` of an outcome that is not an answer. */
  readonly meta: JsonValue | undefined;
  readonly types: readonly string[];
}

/** A caller on one connection. */
export class TypedClient {
  readonly #session: ClientHttp2Session;
  readonly #close: () => Promise<void>;
  readonly #headers: OutgoingHttpHeaders;

  constructor(session: ClientHttp2Session, close: () => Promise<void>, headers: OutgoingHttpHeaders) {
    this.#session = session;
    this.#close = close;
    this.#headers = headers;
  }

  static async of(server: Server, headers: OutgoingHttpHeaders = {}): Promise<TypedClient> {
    const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
    const session = await openSession(String(listening.grpcUrl));
    return new TypedClient(session, async () => {
      session.close();
      await listening.close();
    }, headers);
  }

  /** Names of the services. */
  async services(): Promise<readonly string[]> {
    const answer = await this.#reflect({ case: "listServices", value: "" });
    return answer.case === "listServicesResponse" ? answer.value.service.map(({ name }) => name) : [];
  }

  /** The types of the file with a symbol; `undefined` if no file has it. */
  async registry(symbol: string): Promise<Registry & ReturnType<typeof createFileRegistry> | undefined> {
    const answer = await this.#reflect({ case: "fileContainingSymbol", value: symbol });
    if (answer.case !== "fileDescriptorResponse") return undefined;
    const file = answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    return createFileRegistry(create(FileDescriptorSetSchema, { file: file.toReversed() }));
  }

  /** Calls `docs.Tools/Add`, with the JSON of its message. Returns the JSON of the responses, or the error. */
  async call(
    method: string,
    json: JsonValue,
    headers: OutgoingHttpHeaders = {},
  ): Promise<readonly JsonValue[] | TypedError> {
    const [service = "", name] = method.split("/");
    const registry = await this.registry(service);
    const rpc = registry?.getService(service)?.methods.find((one) => one.name === name);
    if (rpc === undefined) throw new Error(`There is no ${method}`);
    const message = toBinary(rpc.input, fromJson(rpc.input, json));
    const answer = await this.send(`/${method}`, message, headers);
    if (!Array.isArray(answer)) return answer as TypedError;
    return answer.map((bytes) => toJson(rpc.output, fromBinary(rpc.output, bytes)));
  }

  /** Sends bytes to a path. Returns the messages, or the error. */
  async send(
    path: string,
    message: Uint8Array,
    headers: OutgoingHttpHeaders = {},
  ): Promise<readonly Uint8Array[] | TypedError> {
    const answer = await send2(this.#session, {
      path,
      pieces: [frame(message)],
      headers: { ...this.#headers, ...headers },
    });
    if (answer.grpc === 0) return framesOf(answer.body).map(({ data }) => data);
    return errorOf(answer.grpc ?? -1, answer.message, answer.said("grpc-status-details-bin") ?? "");
  }

  async #reflect(messageRequest: { case: "listServices" | "fileContainingSymbol"; value: string }) {
    const request = create(ServerReflectionRequestSchema, { host: "", messageRequest });
    const { body } = await send2(this.#session, {
      path: REFLECTION,
      pieces: [frame(toBinary(ServerReflectionRequestSchema, request))],
      headers: this.#headers,
    });
    return fromBinary(ServerReflectionResponseSchema, framesOf(body)[0]?.data as Uint8Array).messageResponse;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

function errorOf(code: number, message: string, encoded: string): TypedError {
  const { details } = fromBinary(StatusSchema, base64Decode(encoded));
  const types = details.map(({ typeUrl }) => typeUrl.replace(/^.*\//, ""));
  const bytesOf = (type: string) => details[types.indexOf(type)]?.value;
  const info = bytesOf(ErrorInfoSchema.typeName);
  const data = bytesOf(ValueSchema.typeName);
  const meta = bytesOf(ResponseMetaSchema.typeName);
  const { reason, domain } = info === undefined ? {} as Record<string, undefined> : fromBinary(ErrorInfoSchema, info);
  return {
    code,
    message,
    reason,
    domain,
    data: data && toJson(ValueSchema, fromBinary(ValueSchema, data)),
    meta: meta && toJson(ResponseMetaSchema, fromBinary(ResponseMetaSchema, meta)),
    types,
  };
}
