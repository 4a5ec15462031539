/**
 * What a server offers beside tools: `resources/*`, `prompts/*` and `completion/complete`, for all revisions.
 *
 * @module
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { type CallResult, type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ContentCatalog, ContentRequest } from "../../../core/content/content_catalog.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { WireHost } from "../../wire.ts";
import { blockFor } from "./blocks.ts";
import { type Answer, errorAnswer, refusalAnswer, resultAnswer, toProtocolError } from "./answer.ts";
import { LEGACY_RESOURCE_NOT_FOUND } from "../protocol/codes.ts";
import { CallSink } from "./call_sink.ts";
import type { Dialect } from "./revision.ts";
import type { Exchange, McpPeer } from "./exchange.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { Pages } from "./pages.ts";
import { refuseParam } from "./refuse_param.ts";
import { outcomeMeta } from "./tool_result.ts";
import type { Work } from "./retryable_request.ts";
import type { Completion } from "../../../core/content/completion.ts";
import type { PromptContent } from "../../../core/content/prompt.ts";

/** One request for what a server offers. */
export interface OfferRequest {
  /** The request. */
  readonly request: RequestMessage;
  /** Who asks. */
  readonly peer: McpPeer;
  /** How it came. */
  readonly exchange: Exchange;
  /** In which revision. */
  readonly dialect: Dialect;
  /** What its progress goes by. */
  readonly progressToken: string | number | undefined;
}

type Run = (catalog: ContentCatalog, asked: ContentRequest, sink: CallSink | undefined) => MaybePromise<CallResult>;

/** How an answer's value becomes members of a result, and whether the result may be kept. */
type Encode = (
  value: unknown,
  dialect: Dialect,
) => { readonly json: string; readonly isCacheable?: boolean } | ErrorResult;

/** Answers for the resources and prompts of one server. */
export class Offers {
  readonly #host: WireHost;
  readonly #pageSize: number;
  readonly #pages = new WeakMap<object, Pages>();

  constructor(host: WireHost, pageSize: number) {
    this.#host = host;
    this.#pageSize = pageSize;
  }

  /** What a server with these offers says that it can. */
  capabilities(isSubscribable: boolean): Members {
    const { catalog } = this.#host;
    if (catalog === undefined) return {};
    const resources = { ...(isSubscribable && { subscribe: true }), listChanged: true };
    return {
      ...(catalog.canComplete && { completions: {} }),
      ...(catalog.prompts.length > 0 && { prompts: { listChanged: true } }),
      ...(catalog.hasResources && { resources }),
    };
  }

  /** The work of a request; `undefined` if it is for nothing that there is here. */
  work(asked: OfferRequest): Work | ErrorResult | undefined {
    const { catalog } = this.#host;
    const { request: { method, params } } = asked;
    if (catalog === undefined) return undefined;
    if (method.startsWith("resources/") && catalog.hasResources) return this.#resourceWork(asked, method, params);
    if (method.startsWith("prompts/") && catalog.prompts.length > 0) return this.#promptWork(asked, method, params);
    if (method !== "completion/complete" || !catalog.canComplete) return undefined;
    const completion = readCompletion(params);
    if ("kind" in completion) return completion;
    return this.#work(asked, (from, basis) => from.complete({ ...completion, ...basis }), encodeCompletion);
  }

  #resourceWork(asked: OfferRequest, method: string, params: Members): Work | ErrorResult | undefined {
    switch (method) {
      case "resources/list":
        return this.#work(asked, (catalog, basis) => catalog.listResources(basis), this.#page("resources", params));
      case "resources/templates/list":
        return this.#listWork(asked, "resourceTemplates", ({ templates }) => templates);
      case "resources/read": {
        const { uri } = params;
        if (typeof uri !== "string") return refuseParam("uri", uri, "a string");
        return this.#work(asked, (catalog, basis, sink) => catalog.readResource(uri, basis, sink), encodeContents);
      }
      default:
        return undefined;
    }
  }

  #promptWork(asked: OfferRequest, method: string, params: Members): Work | ErrorResult | undefined {
    if (method === "prompts/list") return this.#listWork(asked, "prompts", ({ prompts }) => prompts);
    if (method !== "prompts/get") return undefined;
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string") return refuseParam("name", name, "a string");
    return this.#work(asked, (catalog, basis, sink) => catalog.getPrompt(name, args, basis, sink), encodePrompt);
  }

  #listWork(asked: OfferRequest, name: string, listOf: (catalog: ContentCatalog) => readonly unknown[]): Work {
    const run: Run = (catalog) => ({ kind: "answer", value: listOf(catalog) });
    return this.#work(asked, run, this.#page(name, asked.request.params));
  }

  #work(asked: OfferRequest, run: Run, encode: Encode): Work {
    const { peer, request: { id }, dialect } = asked;
    return {
      run: (meta: CallMeta | undefined) => {
        const { catalog } = this.#host;
        return run(catalog as ContentCatalog, { peer, meta }, this.#sinkOf(asked));
      },
      answer: (settled) => {
        if (settled.kind === "error") return refusalOf(id, settled, dialect);
        if (settled.kind !== "answer") {
          return refusalAnswer(id, errorResult("invalid_request", "message" in settled ? settled.message : "Not now"));
        }
        try {
          const encoded = encode(settled.value, dialect);
          if ("kind" in encoded) return refusalOf(id, encoded, dialect);
          const meta = outcomeMeta(settled);
          const { json, isCacheable = false } = encoded;
          return resultAnswer(id, isCacheable ? dialect.cacheable(json, meta) : dialect.result(json, meta));
        } catch (thrown) {
          return refusalAnswer(id, this.#host.dispatch.mask(thrown, { method: asked.request.method }));
        }
      },
    };
  }

  #sinkOf({ progressToken, exchange, peer, request }: OfferRequest): CallSink | undefined {
    const channel = progressToken === undefined ? undefined : exchange.channel();
    if (channel === undefined) return undefined;
    peer.isStreamed = true;
    return new CallSink({ channel, progressToken, logLevel: undefined, logger: request.method });
  }

  /** A page of a list; lists that do not change are written once for all dialects, which have them alike. */
  #page(name: string, { cursor }: Members): Encode {
    return (value, dialect) => {
      const list = dialect.hasRichForms ? value as object : withoutNews(value as readonly Members[], dialect);
      let pages = this.#pages.get(list);
      if (pages === undefined) {
        pages = new Pages(name, list as readonly Members[], this.#pageSize);
        this.#pages.set(list, pages);
      }
      const json = pages.get(cursor);
      return json === undefined ? refuseCursor(cursor) : { json, isCacheable: true };
    };
  }
}

/** The refusal of a cursor that was not given. */
export function refuseCursor(cursor: unknown): ErrorResult {
  return refuseParam("cursor", cursor, "a cursor that was given here");
}

/** What older revisions do not know is not told to them. */
function withoutNews(list: readonly Members[], { hasTitles }: Dialect): readonly Members[] {
  return list.map(({ icons: _, title, _meta, ...rest }) => ({
    ...rest,
    ...(hasTitles && title !== undefined && { title }),
    ...(hasTitles && _meta !== undefined && { _meta }),
  }));
}

function refusalOf(id: RequestMessage["id"], refusal: ErrorResult, { isModern }: Dialect): Answer {
  if (isModern || refusal.code !== "resource_not_found") return refusalAnswer(id, refusal);
  return errorAnswer(id, { ...toProtocolError(refusal), number: LEGACY_RESOURCE_NOT_FOUND });
}

const encodeContents: Encode = (value) => ({ json: `"contents":${JSON.stringify(value)}`, isCacheable: true });

const encodePrompt: Encode = (value, dialect) => {
  const { description, messages } = value as PromptContent;
  const told = messages.map((message) => ({ ...message, content: blockFor(message.content, dialect) }));
  return { json: `"description":${JSON.stringify(description)},"messages":${JSON.stringify(told)}` };
};

const encodeCompletion: Encode = (value) => ({ json: `"completion":${JSON.stringify(value as Completion)}` });

type ReadCompletion = Omit<Parameters<ContentCatalog["complete"]>[0], "peer" | "meta">;

function readCompletion({ ref, argument, context }: Members): ReadCompletion | ErrorResult {
  const { type, name: prompt, uri: resource }: Members = isJsonObject(ref) ? ref : {};
  const of = type === "ref/prompt" && typeof prompt === "string"
    ? { prompt }
    : type === "ref/resource" && typeof resource === "string"
    ? { resource }
    : undefined;
  if (of === undefined) return refuseParam("ref", ref, "a reference to a prompt or a resource");
  const { name, value }: Members = isJsonObject(argument) ? argument : {};
  if (typeof name !== "string" || typeof value !== "string") {
    return refuseParam("argument", argument, "an object with a name and a value, as strings");
  }
  const given = isJsonObject(context) && isJsonObject(context["arguments"]) ? context["arguments"] : {};
  return { of, argument: name, value, otherArguments: textsOf(given) };
}

function textsOf(members: Members): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
