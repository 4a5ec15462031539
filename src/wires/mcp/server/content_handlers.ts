/** Methods for resources, prompts and completion, in all revisions. */
import { type CallResult, type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ContentCall, ContentCatalog } from "../../../core/content/content_catalog.ts";
import type { MaybeFuture } from "../../../internal/future.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import { LEGACY_RESOURCE_NOT_FOUND } from "../protocol/codes.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { CallSink } from "./call_sink.ts";
import { type ContentRequest, sinkOf } from "./content_request.ts";
import { Extensions } from "./extensions.ts";
import { cursorError, Pages } from "./pages.ts";
import {
  errorResponse,
  type FinalResult,
  paramError,
  protocolErrorResponse,
  resultResponse,
  type RetryableRequest,
  type RpcResponse,
  toProtocolError,
} from "./response.ts";
import type { Revision } from "./revision.ts";
import { outcomeMeta } from "../../framing/result/encode.ts";
import type { Completion } from "../../../core/content/completion.ts";
import type { PromptContent } from "../../../core/content/prompt.ts";

const PROMISED = "The result is a promise, which MCP has for tools only";

/** Name of a handler: a method of {@link ContentHandlers} that decodes the parameters of a request. */
export type ContentHandler = Exclude<keyof ContentHandlers, "extensions">;

/** Reads or lists contents in the catalog, as the method of the request demands. */
type Run = (catalog: ContentCatalog, request: ContentCall, sink: CallSink | undefined) => MaybeFuture<CallResult>;

/** Encodes a value as members of a result. Returns an error if a parameter is invalid. */
type Encode = (
  value: unknown,
  revision: Revision,
) => { readonly json: string; readonly isCacheable?: boolean } | ErrorResult;

/** Decodes the requests `resources/*`, `prompts/*` and `completion/complete` of a server, so that they can run. Returns parameter errors. */
export class ContentHandlers {
  /** Extensions of MCP that the catalog adds, with their methods. */
  readonly extensions: Extensions;
  readonly #host: WireHost;
  readonly #pageSize: number;
  readonly #pages = new WeakMap<object, Pages>();

  constructor(host: WireHost, pageSize: number) {
    this.#host = host;
    this.#pageSize = pageSize;
    this.extensions = new Extensions(host, pageSize);
  }

  listResources(content: ContentRequest): RetryableRequest {
    return this.#prepare(
      content,
      (catalog, request) => catalog.listResources(request),
      this.#page(content, "resources"),
    );
  }

  /** `resources/templates/list` */
  listTemplates(content: ContentRequest): RetryableRequest {
    const run: Run = (catalog, { peer: { principal, session } }) => ({
      kind: "answer",
      value: catalog.templatesFor(principal, session),
    });
    return this.#prepare(content, run, this.#page(content, "resourceTemplates"));
  }

  readResource(content: ContentRequest): RetryableRequest | ErrorResult {
    const { uri } = content.request.params;
    if (typeof uri !== "string") return paramError("uri", uri, "a string");
    return this.#prepare(content, (catalog, request, sink) => catalog.readResource(uri, request, sink), encodeContents);
  }

  listPrompts(content: ContentRequest): RetryableRequest {
    const run: Run = (catalog, { peer: { principal, session } }) => ({
      kind: "answer",
      value: catalog.promptsFor(principal, session),
    });
    return this.#prepare(content, run, this.#page(content, "prompts"));
  }

  getPrompt(content: ContentRequest): RetryableRequest | ErrorResult {
    const { name, arguments: args = {} } = content.request.params;
    if (typeof name !== "string") return paramError("name", name, "a string");
    const run: Run = (catalog, request, sink) => catalog.getPrompt(name, args, request, sink);
    return this.#prepare(content, run, encodePrompt);
  }

  /** `completion/complete` */
  complete(content: ContentRequest): RetryableRequest | ErrorResult {
    const completion = readCompletion(content.request.params);
    if ("kind" in completion) return completion;
    const run: Run = (catalog, request) => catalog.complete({ ...completion, ...request });
    return this.#prepare(content, run, encodeCompletion);
  }

  #prepare(content: ContentRequest, run: Run, encode: Encode): RetryableRequest {
    const { peer } = content;
    return {
      run: (meta) => run(this.#host.catalog as ContentCatalog, { peer, meta }, sinkOf(content)),
      encode: (result) => this.#encode(content, result, encode),
    };
  }

  #encode({ request: { id, method }, revision }: ContentRequest, result: FinalResult, encode: Encode): RpcResponse {
    if (result.kind === "error") return contentErrorResponse(id, result, revision);
    if (result.kind !== "answer") {
      return errorResponse(id, errorResult("invalid_request", "message" in result ? result.message : PROMISED));
    }
    try {
      const encoded = encode(result.value, revision);
      if ("kind" in encoded) return contentErrorResponse(id, encoded, revision);
      const meta = outcomeMeta(result);
      const { json, isCacheable = false } = encoded;
      return resultResponse(id, isCacheable ? revision.cacheable(json, meta) : revision.result(json, meta));
    } catch (thrown) {
      return errorResponse(id, this.#host.dispatch.mask(thrown, { method }));
    }
  }

  /** Encodes one page of a list. A list that does not change is encoded once for all revisions with the same members. */
  #page({ request: { params: { cursor } } }: ContentRequest, name: string): Encode {
    return (value, revision) => {
      const list = revision.hasRichForms ? value as object : forOldRevision(value as readonly Members[], revision);
      let pages = this.#pages.get(list);
      if (pages === undefined) {
        pages = new Pages(name, list as readonly Members[], this.#pageSize);
        this.#pages.set(list, pages);
      }
      const json = pages.get(cursor);
      return json === undefined ? cursorError(cursor) : { json, isCacheable: true };
    };
  }
}

/** Removes the members that an old revision does not have. */
function forOldRevision(list: readonly Members[], { hasTitles }: Revision): readonly Members[] {
  return list.map(({ icons: _, title, _meta, ...rest }) => hasTitles ? { ...rest, title, _meta } : rest);
}

function contentErrorResponse(id: RequestMessage["id"], error: ErrorResult, { isModern }: Revision): RpcResponse {
  // That number has the URI of the resource: a prompt that does not find one names none.
  const isNumbered = error.code === "resource_not_found" && asObject(error.data)["uri"] !== undefined;
  if (isModern || !isNumbered) return errorResponse(id, error);
  return protocolErrorResponse(id, { ...toProtocolError(error), number: LEGACY_RESOURCE_NOT_FOUND });
}

const encodeContents: Encode = (value) => ({ json: `"contents":${JSON.stringify(value)}`, isCacheable: true });

const encodePrompt: Encode = (value, revision) => {
  const { description, messages } = value as PromptContent;
  const encoded = messages.map((message) => ({ ...message, content: revision.toBlock(message.content) }));
  return { json: `"description":${JSON.stringify(description)},"messages":${JSON.stringify(encoded)}` };
};

const encodeCompletion: Encode = (value) => ({ json: `"completion":${JSON.stringify(value as Completion)}` });

type CompletionParams = Omit<Parameters<ContentCatalog["complete"]>[0], "peer" | "meta">;

function readCompletion({ ref, argument, context }: Members): CompletionParams | ErrorResult {
  const { type, name: prompt, uri: resource } = asObject(ref);
  const of = type === "ref/prompt" && typeof prompt === "string"
    ? { prompt }
    : type === "ref/resource" && typeof resource === "string"
    ? { resource }
    : undefined;
  if (of === undefined) return paramError("ref", ref, "a reference to a prompt or a resource");
  const { name, value } = asObject(argument);
  if (typeof name !== "string" || typeof value !== "string") {
    return paramError("argument", argument, "an object with a name and a value, as strings");
  }
  const others = Object.entries(asObject(asObject(context)["arguments"]));
  const otherArguments = Object.fromEntries(
    others.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  return { of, argument: name, value, otherArguments };
}
