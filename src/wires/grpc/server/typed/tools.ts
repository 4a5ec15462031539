/** The typed service by native gRPC: a method for each tool, made of the tools as they are listed. */
import type { DescFile } from "@bufbuild/protobuf";
import { errorResult } from "../../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { Body, Head, Reply, WireHost } from "../../../wire.ts";
import { describeFile } from "../../messages/typed/descriptor.ts";
import { packageOf } from "../../messages/typed/names.ts";
import { createTypedService, selectTools, type TypedServiceType } from "../../messages/typed/service.ts";
import { encodeEarlyError, NativeProtocol } from "../native_protocol.ts";
import { isNativeGrpc } from "../request.ts";
import type { RpcMethod } from "../service.ts";
import { createTypedMethod } from "./method.ts";

/** Methods and file of a list of tools. */
interface TypedList {
  readonly tools: WireHost["tools"];
  readonly service: TypedServiceType;
  readonly methods: ReadonlyMap<string, BoundMethod>;
  readonly file: DescFile;
}

/** A typed method, with the tool that it calls. */
interface BoundMethod {
  /** Name of the tool that it calls, or whose promises it redeems. */
  readonly tool: string;
  readonly handle: RpcMethod;
}

/** Serves each tool as a separate gRPC method with typed messages, for native gRPC only. */
export class TypedToolService {
  /** Name of the service, with its package. */
  readonly typeName: string;
  readonly paths: readonly string[];
  readonly #host: WireHost;
  readonly #base: string;
  readonly #package: string;
  readonly #protocol: NativeProtocol;
  #last: TypedList;

  /** @param base Path prefix of the services. */
  constructor(host: WireHost, base: string, options: { readonly package?: string }) {
    this.#host = host.allTools ?? host;
    this.#base = base;
    this.#package = options.package ?? packageOf(host.info.name);
    this.#protocol = new NativeProtocol(host);
    this.#last = this.#listOf(this.#host.tools);
    this.typeName = `${this.#package}.Tools`;
    this.paths = [`${base}/${this.typeName}/*`];
  }

  /** Answers a request for a method; `undefined` if its path is that of another service, or if it is not native gRPC. */
  handle(head: Head, body: Body): MaybePromise<Reply> | undefined {
    const prefix = `${this.#base}/${this.typeName}/`;
    if (!head.path.startsWith(prefix) || !isNativeGrpc(head)) return undefined;
    const method = this.#all.methods.get(head.path.slice(prefix.length));
    if (method !== undefined && this.#isVisible(method, head)) return method.handle(head, body) as MaybePromise<Reply>;
    return encodeEarlyError(errorResult("method_not_found", `Method not found: ${head.path}`));
  }

  /** The descriptor of the service's `.proto` file, with the tools that the caller may see. */
  fileFor({ principal }: Head): DescFile {
    const tools = this.#host.toolsFor(principal);
    if (tools === this.#host.tools) return this.#all.file;
    const names = new Set(tools.map(({ name }) => name));
    return describeFile(selectTools(this.#all.service, (name) => names.has(name)));
  }

  /** Methods of all tools. Made again only if the list has changed. */
  get #all(): TypedList {
    const { tools } = this.#host;
    return tools === this.#last.tools ? this.#last : this.#last = this.#listOf(tools);
  }

  #listOf(tools: WireHost["tools"]): TypedList {
    const service = createTypedService(tools.map((tool) => ({ ...tool })), this.#package);
    const methods = new Map(service.methods.map((method) => {
      const handle = createTypedMethod(method, { host: this.#host, base: this.#base, protocol: this.#protocol });
      return [method.name, { tool: method.listed.name, handle }] as const;
    }));
    return { tools, methods, service, file: describeFile(service) };
  }

  #isVisible({ tool }: BoundMethod, { principal }: Head): boolean {
    const tools = this.#host.toolsFor(principal);
    return tools === this.#host.tools || tools.some(({ name }) => name === tool);
  }
}
