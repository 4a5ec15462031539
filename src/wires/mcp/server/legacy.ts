/**
 * The revisions that begin with a handshake: 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05.
 *
 * Knows JSON-RPC and nothing of HTTP or stdio; what has to be remembered between requests is the transport's to keep.
 *
 * @module
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { type CallResult, type ErrorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { ServerInfo } from "../../wire.ts";
import { type Answer, refusalAnswer, resultAnswer, unknownMethod } from "./answer.ts";
import type { Core } from "./mcp_server.ts";
import type { Dialect } from "./revision.ts";
import { type Exchange, McpPeer } from "./exchange.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { LegacyAsker, unanswered } from "./legacy_questions.ts";
import { answerLegacyTask, readTaskWish } from "./legacy_tasks.ts";
import type { RequestMessage, ResponseMessage } from "../protocol/messages.ts";
import { refuseParam } from "./refuse_param.ts";
import { MAX_URI_LENGTH } from "./subscriptions.ts";
import { ToolPages } from "./tool_pages.ts";
import { readCallMeta } from "./tool_calls.ts";
import type { Work } from "./retryable_request.ts";
import { isLegacyVersion, LEGACY_VERSIONS, type LegacyVersion, LOG_LEVELS } from "../protocol/constants.ts";

/** Most times that one call asks its caller, one after the other. */
const MAX_ROUNDS = 50;

/** What a caller may say of itself as it begins, in UTF-16 code units of JSON: transports keep it. */
const MAX_CALLER_LENGTH = 16_384;

/** What is known of a caller from one request to the next. */
export interface LegacyCaller {
  /** The revision that was agreed on. */
  readonly version: LegacyVersion;
  /** What it says that it can; `undefined` where that is not known. */
  readonly capabilities: unknown;
  /** What it calls itself. */
  readonly info: unknown;
  /** From which level on it wants log lines; `undefined` if it did not say. */
  readonly logLevel: string | undefined;
}

/** One request of an older revision. */
export interface LegacyExchange extends Exchange {
  /** Who calls. */
  readonly caller: LegacyCaller;
  /** Asks the client; `undefined` if it cannot be asked. Rejects with nothing; without an answer in time, there is none. */
  readonly ask: ((request: InputRequest) => Promise<ResponseMessage | undefined>) | undefined;
  /** Has the caller told how its task is; `undefined` where it cannot be reached between its requests. */
  readonly tellOfTask?: TellOfTask | undefined;
  /** Keeps what a caller wants from now on, if anything is kept. */
  remember(change: LegacyWish): MaybePromise<void>;
}

/**
 * Has a caller told of a task, after its request was answered, too.
 *
 * @param watch Follows the task: given what tells how it is, and what aborts when the caller has gone for good. Never rejects.
 */
export type TellOfTask = (watch: (tell: (task: Members) => void, over: AbortSignal) => Promise<void>) => void;

/** What a caller wants from now on. */
export type LegacyWish =
  | { readonly logLevel: string }
  | { readonly subscribe: string }
  | { readonly unsubscribe: string };

/** Answers requests of older revisions. */
export class Legacy {
  readonly #core: Core;
  readonly #pages: ReadonlyMap<string, ToolPages>;
  readonly #keepsCallers: boolean;

  /** @param keepsCallers Whether the transport can tell callers of changes. */
  constructor(core: Core, keepsCallers: boolean) {
    this.#core = core;
    this.#keepsCallers = keepsCallers;
    const { host, tools, settings } = core;
    this.#pages = new Map(
      LEGACY_VERSIONS.map((version) => {
        return [version, new ToolPages(host, tools, core.dialect(version), settings.pageSize)];
      }),
    );
  }

  /**
   * What a caller says of itself as it begins, unless that is too much. Of revisions that are not known here, the newest is
   * agreed on.
   */
  readCaller({ protocolVersion, capabilities, clientInfo }: Members): LegacyCaller | ErrorResult {
    if (JSON.stringify([capabilities, clientInfo]).length > MAX_CALLER_LENGTH) return refuseLongCaller();
    return {
      version: isLegacyVersion(protocolVersion) ? protocolVersion : LEGACY_VERSIONS[0],
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      info: clientInfo,
      logLevel: undefined,
    };
  }

  /** Answers a request. */
  answer(request: RequestMessage, exchange: LegacyExchange): MaybePromise<Answer> {
    const { id, method } = request;
    const { version } = exchange.caller;
    const dialect = this.#core.dialect(version);
    switch (method) {
      case "tools/call":
        return this.#callTool(request, exchange, dialect);
      case "tools/list":
        return (this.#pages.get(version) as ToolPages).answer(request, exchange.principal);
      case "initialize":
        return resultAnswer(id, this.#initialized(exchange.caller));
      case "ping":
        return resultAnswer(id, "{}");
      case "logging/setLevel":
        return this.#setLevel(request, exchange);
      case "resources/subscribe":
      case "resources/unsubscribe":
        return this.#subscribe(request, exchange);
      default:
        return this.#answerOther(request, exchange, dialect);
    }
  }

  #initialized({ version }: LegacyCaller): string {
    const { host, settings, tools, offers } = this.#core;
    const isTold = this.#keepsCallers;
    const hasTasks = tools.canPromise && version === "2025-11-25";
    const { instructions } = host.info;
    const capabilities = {
      tools: isTold ? { listChanged: true } : {},
      ...(settings.logging && { logging: {} }),
      ...Object.fromEntries(
        Object.entries(offers.capabilities(isTold)).map(([name, value]) => {
          const { listChanged: _, ...rest } = value as Members;
          return [name, isTold ? value : rest];
        }),
      ),
      ...(hasTasks && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
    };
    return JSON.stringify({
      protocolVersion: version,
      capabilities,
      serverInfo: infoFor(version, host.info),
      ...(instructions !== undefined && { instructions }),
    });
  }

  #setLevel(request: RequestMessage, exchange: LegacyExchange): MaybePromise<Answer> {
    if (!this.#core.settings.logging) return unknownMethod(request);
    const { id, params: { level } } = request;
    if (!LOG_LEVELS.includes(level as string)) {
      return refusalAnswer(id, refuseParam("level", level, `one of ${LOG_LEVELS.join(", ")}`));
    }
    return this.#remember(id, exchange.remember({ logLevel: level as string }));
  }

  #subscribe(request: RequestMessage, exchange: LegacyExchange): MaybePromise<Answer> {
    const { id, method, params: { uri } } = request;
    if (this.#core.host.catalog?.hasResources !== true) return unknownMethod(request);
    if (typeof uri !== "string" || uri.length > MAX_URI_LENGTH) {
      return refusalAnswer(id, refuseParam("uri", uri, `a string of at most ${MAX_URI_LENGTH} characters`));
    }
    const wish = method === "resources/subscribe" ? { subscribe: uri } : { unsubscribe: uri };
    return this.#remember(id, exchange.remember(wish));
  }

  #remember(id: RequestMessage["id"], kept: MaybePromise<void>): MaybePromise<Answer> {
    return kept instanceof Promise ? kept.then(() => resultAnswer(id, "{}")) : resultAnswer(id, "{}");
  }

  #callTool(request: RequestMessage, exchange: LegacyExchange, dialect: Dialect): MaybePromise<Answer> {
    const { id, params } = request;
    const { calls, settings, tasks } = this.#core;
    const read = calls.read(params);
    if ("kind" in read) return refusalAnswer(id, read);
    const wish = readTaskWish(params, read.tool, dialect);
    if (typeof wish !== "boolean") return refusalAnswer(id, wish);
    const { said, progressToken, takesPromises } = readMeta(params);
    const peer = this.#peer(request, exchange);
    const logLevel = settings.logging ? exchange.caller.logLevel ?? "info" : undefined;
    const { name, tool, args } = read;
    const call = { name, tool, args, peer, exchange, progressToken, logLevel, takesPromises: wish || takesPromises };
    const settled = calls.run(call, wish ? { ...said, isPromiseWanted: true } : said);
    if (!(settled instanceof Promise) && (settled.kind === "answer" || settled.kind === "error")) {
      return calls.answer(id, dialect, call, settled);
    }
    const work: Work = {
      run: (meta) => calls.run(call, wish ? { ...meta, isPromiseWanted: true } : meta),
      answer: (end) => {
        if (!wish || end.kind !== "promise") return calls.answer(id, dialect, call, end);
        exchange.tellOfTask?.((tell, over) => tasks.watchOne(end.token, peer, dialect, "working", tell, over));
        return tasks.created(id, dialect, end, peer);
      },
    };
    return this.#finish(id, work, settled, said, exchange, dialect);
  }

  #answerOther(request: RequestMessage, exchange: LegacyExchange, dialect: Dialect): MaybePromise<Answer> {
    const { said, progressToken } = readMeta(request.params);
    const peer = this.#peer(request, exchange);
    const { tasks, tools, offers } = this.#core;
    if (request.method.startsWith("tasks/") && tools.canPromise && dialect.version === "2025-11-25") {
      const asker = new LegacyAsker(this.#core.host, { id: request.id, exchange, dialect });
      return answerLegacyTask({ request, peer, dialect, tasks, asker });
    }
    const work = offers.work({ request, peer, exchange, dialect, progressToken });
    if (work === undefined) return unknownMethod(request);
    return "kind" in work
      ? refusalAnswer(request.id, work)
      : this.#finish(request.id, work, work.run(said), said, exchange, dialect);
  }

  #finish(
    id: RequestMessage["id"],
    work: Work,
    settled: MaybePromise<CallResult>,
    said: CallMeta | undefined,
    exchange: LegacyExchange,
    dialect: Dialect,
  ): MaybePromise<Answer> {
    if (settled instanceof Promise) {
      return settled.then((later) => this.#converse(id, work, said, later, exchange, dialect));
    }
    return "requests" in settled ? this.#converse(id, work, said, settled, exchange, dialect) : work.answer(settled);
  }

  /** Asks over the open stream, and runs the work again with the answers, until it asks no more. */
  async #converse(
    id: RequestMessage["id"],
    work: Work,
    said: CallMeta | undefined,
    first: CallResult,
    exchange: LegacyExchange,
    dialect: Dialect,
  ): Promise<Answer> {
    let settled = first;
    const asker = new LegacyAsker(this.#core.host, { id, exchange, dialect });
    for (let round = 0; "requests" in settled; round++) {
      if (round === MAX_ROUNDS) return work.answer(unanswered("was asked too often").end);
      const responses = await asker.ask(settled.requests);
      if ("end" in responses) return work.answer(responses.end);
      settled = await work.run({ ...said, continuation: settled.continuation, responses: responses.given });
    }
    await asker.finish(settled);
    return work.answer(settled);
  }

  #peer({ id }: RequestMessage, exchange: LegacyExchange): McpPeer {
    const { capabilities, info } = exchange.caller;
    return new McpPeer(exchange, id, capabilities, info);
  }
}

function refuseLongCaller(): ErrorResult {
  const expected = `at most ${MAX_CALLER_LENGTH} characters of JSON`;
  return invalidInputResult(`params.capabilities and params.clientInfo are ${expected}`, ["params"], expected, {});
}

function readMeta({ _meta: meta }: Members): {
  readonly said: CallMeta | undefined;
  readonly progressToken: string | number | undefined;
  readonly takesPromises: boolean;
} {
  if (!isJsonObject(meta)) return NOTHING_SAID;
  const { progressToken: token, takes_promises: takesPromises } = meta;
  const isToken = typeof token === "string" || Number.isSafeInteger(token);
  return {
    said: readCallMeta(meta),
    progressToken: isToken ? token as string | number : undefined,
    takesPromises: takesPromises === true,
  };
}

const NOTHING_SAID = { said: undefined, progressToken: undefined, takesPromises: false };

/** What the server calls itself, in the words of the revision. */
function infoFor(version: LegacyVersion, info: ServerInfo): Members {
  const { name, version: own, title, description, websiteUrl, icons } = info;
  return {
    name,
    version: own,
    ...(version >= "2025-06-18" && title !== undefined && { title }),
    ...(version >= "2025-11-25" && {
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    }),
  };
}
