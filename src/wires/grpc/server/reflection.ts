/**
 * gRPC server reflection: clients such as grpcurl read the service definitions from the server.
 *
 * Versions v1 and v1alpha are identical except for their names.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/server-reflection.md | gRPC server reflection}.
 */
import { create, type DescFile, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "../messages/envelope.ts";
import { file_google_rpc_error_details } from "../messages/gen/google/rpc/error_details_pb.ts";
import { file_google_rpc_status } from "../messages/gen/google/rpc/status_pb.ts";
import { file_grpc_health_v1_health } from "../messages/gen/grpc/health/v1/health_pb.ts";
import {
  file_grpc_reflection_v1_reflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "../messages/gen/grpc/reflection/v1/reflection_pb.ts";
import { file_grpc_reflection_v1alpha_reflection } from "../messages/gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { file_mcplite } from "../messages/gen/mcplite_pb.ts";
import type { NativeProtocol } from "./native_protocol.ts";
import type { RpcMethods } from "./service.ts";
import type { TypedToolService } from "./typed/tools.ts";

/** The services whose files clients may read. */
class Reflection {
  readonly #files: readonly DescFile[];
  readonly #services: readonly string[];
  /** The file of each type, each service, and each member of one. */
  readonly #symbols: ReadonlyMap<string, DescFile>;

  constructor(files: readonly DescFile[]) {
    this.#files = withDependencies(files);
    this.#services = this.#files.flatMap(({ services }) => services.map(({ typeName }) => typeName));
    this.#symbols = new Map(this.#files.flatMap((file) => symbolsOf(file).map((name) => [name, file] as const)));
  }

  respond(request: ServerReflectionRequest["messageRequest"]): MessageResponse {
    switch (request.case) {
      case "listServices":
        return { case: "listServicesResponse", value: { service: this.#services.map((name) => ({ name })) } };
      case "fileByFilename":
        return filesOf(this.#files.find((file) => file.proto.name === request.value), `file ${request.value}`);
      case "fileContainingSymbol":
        return filesOf(this.#symbols.get(request.value), `symbol ${request.value}`);
      case "fileContainingExtension":
        return notFound(`extension of ${request.value.containingType}`);
      case "allExtensionNumbersOfType": {
        const baseTypeName = request.value;
        if (!this.#symbols.has(baseTypeName)) return notFound(`type ${baseTypeName}`);
        return { case: "allExtensionNumbersResponse", value: { baseTypeName } };
      }
      default:
        return {
          case: "errorResponse",
          value: { errorCode: Code.InvalidArgument, errorMessage: "message_request is missing" },
        };
    }
  }
}

const FILES: readonly DescFile[] = [
  file_mcplite,
  file_grpc_health_v1_health,
  file_grpc_reflection_v1_reflection,
  file_grpc_reflection_v1alpha_reflection,
  // Types of statuses and their details, which no other file imports.
  file_google_rpc_status,
  file_google_rpc_error_details,
];

/**
 * The methods of `grpc.reflection.v1.ServerReflection` and of v1alpha, by their paths.
 *
 * @param typed The typed service, if there is one. Its file depends on the tools that the caller may see.
 */
export function reflectionMethods(protocol: NativeProtocol, typed: TypedToolService | undefined): RpcMethods {
  const base = new Reflection(FILES);
  let last: { readonly file: DescFile; readonly reflection: Reflection } | undefined;
  const reflectionFor = (file: DescFile | undefined): Reflection => {
    if (file === undefined) return base;
    if (last?.file !== file) last = { file, reflection: new Reflection([...FILES, file]) };
    return last.reflection;
  };
  const method = protocol.bidiStream((message, head) => {
    const originalRequest = readRequest(message);
    const { host: validHost, messageRequest } = originalRequest;
    const messageResponse = reflectionFor(typed?.fileFor(head)).respond(messageRequest);
    const response = create(ServerReflectionResponseSchema, { validHost, originalRequest, messageResponse });
    return encodeEnvelope(toBinary(ServerReflectionResponseSchema, response));
  });
  return {
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": method,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": method,
  };
}

function readRequest(message: Uint8Array): ServerReflectionRequest {
  try {
    return fromBinary(ServerReflectionRequestSchema, message);
  } catch {
    throw new ConnectError("Not a ServerReflectionRequest", Code.InvalidArgument);
  }
}

type MessageResponse = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

function symbolsOf(file: DescFile): string[] {
  return [...nestedTypes(file)].flatMap((type) => {
    if (type.kind === "extension") return [];
    const { kind, typeName } = type;
    const members = kind === "message"
      ? [...type.fields, ...type.oneofs]
      : kind === "enum"
      ? type.values
      : type.methods;
    return [typeName, ...members.map(({ name }) => `${typeName}.${name}`)];
  });
}

/** A file, then its dependencies: some clients, such as ghz, expect the requested file first. */
function filesOf(file: DescFile | undefined, wanted: string): MessageResponse {
  if (file === undefined) return notFound(wanted);
  const files = withDependencies([file]).toReversed();
  const fileDescriptorProto = files.map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(wanted: string): MessageResponse {
  return { case: "errorResponse", value: { errorCode: Code.NotFound, errorMessage: `There is no ${wanted}` } };
}

/** The files and their dependencies, each once, dependencies first. */
function withDependencies(files: readonly DescFile[]): readonly DescFile[] {
  const all = new Set<DescFile>();
  const add = (file: DescFile): void => {
    if (all.has(file)) return;
    file.dependencies.forEach(add);
    all.add(file);
  };
  files.forEach(add);
  return [...all];
}
