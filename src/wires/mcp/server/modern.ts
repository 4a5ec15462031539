/**
 * The revision without sessions, 2026-07-28: each request says all that there is to know, and is answered for good.
 *
 * Knows JSON-RPC and nothing of HTTP or stdio. Envelopes are checked before.
 *
 * @module
 */
import type { CallMeta } from "../../../core/call/call.ts";
import type { CallResult, QuestionsResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { type Answer, errorAnswer, protocolError, refusalAnswer, resultAnswer, unknownMethod } from "./answer.ts";
import { hasTasksExtension, missingFor } from "../protocol/capabilities.ts";
import { MISSING_CAPABILITY } from "../protocol/codes.ts";
import type { Core } from "./mcp_server.ts";
import type { Dialect } from "./revision.ts";
import { type Exchange, McpPeer } from "./exchange.ts";
import { toInputRequests } from "./input_requests.ts";
import type { Members } from "../../../internal/json.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { tasksNeeded } from "./tasks.ts";
import { ToolPages } from "./tool_pages.ts";
import { readCallMeta, readResponses, type ToolCall } from "./tool_calls.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, MODERN_VERSION, TASKS_EXTENSION } from "../protocol/constants.ts";
import type { Work } from "./retryable_request.ts";

/** Answers requests of 2026-07-28. */
export class Modern {
  readonly #core: Core;
  readonly #dialect: Dialect;
  readonly #pages: ToolPages;
  readonly #discovery: string;

  constructor(core: Core) {
    const { tools, settings, host, offers } = core;
    const dialect = this.#dialect = core.dialect(MODERN_VERSION);
    this.#core = core;
    this.#pages = new ToolPages(host, tools, dialect, settings.pageSize);
    const capabilities = {
      tools: { listChanged: true },
      ...(settings.logging && { logging: {} }),
      ...offers.capabilities(true),
      ...(tools.canPromise && { extensions: { [TASKS_EXTENSION]: {} } }),
    };
    const { instructions } = host.info;
    const discovered = { supportedVersions: [MODERN_VERSION], capabilities, ...(instructions && { instructions }) };
    this.#discovery = dialect.cacheable(JSON.stringify(discovered).slice(1, -1));
  }

  /** Answers a request; its `_meta` has passed {@link checkEnvelope}. */
  answer(request: RequestMessage, meta: Members, exchange: Exchange): MaybePromise<Answer> {
    const { id, method } = request;
    switch (method) {
      case "tools/call":
        return this.#callTool(request, meta, exchange);
      case "tools/list":
        return this.#pages.answer(request, exchange.principal);
      case "server/discover":
        return resultAnswer(id, this.#discovery);
      case "subscriptions/listen":
        return this.#listen(request, meta, exchange);
      default:
        return method.startsWith("tasks/")
          ? this.#answerTask(request, meta, exchange)
          : this.#answerOffer(request, meta, exchange);
    }
  }

  #callTool(request: RequestMessage, meta: Members, exchange: Exchange): MaybePromise<Answer> {
    const { id, params } = request;
    const { calls, settings } = this.#core;
    const read = calls.read(params);
    if ("kind" in read) return refusalAnswer(id, read);
    const responses = readResponses(params);
    if (responses !== undefined && "kind" in responses) return refusalAnswer(id, responses);
    const said = readCallMeta(meta);
    const peer = this.#peer(request, meta, exchange);
    const takesPromises = hasTasksExtension(meta[CLIENT_CAPABILITIES]) && read.tool?.mayPromise === true;
    if (read.tool?.plan.promise?.required && !takesPromises) return tasksNeeded(id);
    const progressToken = meta["progressToken"] as string | number | undefined;
    const logLevel = settings.logging ? meta[LOG_LEVEL] as string | undefined : undefined;
    const { name, tool, args } = read;
    const callMeta = responses === undefined ? said : { ...said, ...responses };
    const call = { name, tool, args, peer, exchange, progressToken, logLevel, takesPromises };
    const settled = calls.run(call, callMeta);
    if (!(settled instanceof Promise)) return this.#answerCall(request, meta, call, settled);
    return settled.then((later) => this.#answerCall(request, meta, call, later));
  }

  #answerCall(request: RequestMessage, meta: Members, call: ToolCall, settled: CallResult): Answer {
    if ("requests" in settled) {
      return this.#ask(request, meta, settled);
    }
    const { calls, tasks } = this.#core;
    if (settled.kind === "promise" && call.takesPromises) {
      return tasks.created(request.id, this.#dialect, settled, call.peer);
    }
    return calls.answer(request.id, this.#dialect, call, settled);
  }

  #answerOffer(request: RequestMessage, meta: Members, exchange: Exchange): MaybePromise<Answer> {
    const peer = this.#peer(request, meta, exchange);
    const progressToken = meta["progressToken"] as string | number | undefined;
    const work = this.#core.offers.work({ request, peer, exchange, dialect: this.#dialect, progressToken });
    if (work === undefined) return unknownMethod(request);
    if ("kind" in work) return refusalAnswer(request.id, work);
    const responses = readResponses(request.params);
    if (responses !== undefined && "kind" in responses) return refusalAnswer(request.id, responses);
    return this.#finish(request, meta, work, responses);
  }

  #finish(request: RequestMessage, meta: Members, work: Work, responses: CallMeta | undefined): MaybePromise<Answer> {
    const said = readCallMeta(meta);
    const settled = work.run(responses === undefined ? said : { ...said, ...responses });
    const finish = (end: CallResult) => "requests" in end ? this.#ask(request, meta, end) : work.answer(end);
    return settled instanceof Promise ? settled.then(finish) : finish(settled);
  }

  /** The caller is asked, if it has declared that it can be. */
  #ask({ id, method }: RequestMessage, meta: Members, { requests, continuation }: QuestionsResult): Answer {
    const requiredCapabilities = missingFor(Object.values(requests), meta[CLIENT_CAPABILITIES]);
    if (requiredCapabilities !== undefined) {
      const message = "This needs a client that can be asked what it asks";
      return errorAnswer(id, protocolError(MISSING_CAPABILITY, message, { requiredCapabilities }));
    }
    try {
      const inputRequests = JSON.stringify(toInputRequests(requests, this.#dialect));
      const members = `"inputRequests":${inputRequests},"requestState":${JSON.stringify(continuation)}`;
      return resultAnswer(id, this.#dialect.unfinished("input_required", members));
    } catch (thrown) {
      return refusalAnswer(id, this.#core.host.dispatch.mask(thrown, { method }));
    }
  }

  #listen(request: RequestMessage, meta: Members, exchange: Exchange): MaybePromise<Answer> {
    const { tasks, tools, listens } = this.#core;
    const { notifications }: Members = request.params;
    const wantsTasks = tools.canPromise && typeof notifications === "object" && notifications !== null &&
      "taskIds" in notifications;
    if (!wantsTasks) return listens.listen(request, exchange, this.#dialect, undefined);
    if (!hasTasksExtension(meta[CLIENT_CAPABILITIES])) return tasksNeeded(request.id);
    const peer = this.#peer(request, meta, exchange);
    return listens.listen(request, exchange, this.#dialect, (ids, tell, ended) => {
      tasks.watch(ids, peer, this.#dialect, tell, ended);
    });
  }

  #answerTask(request: RequestMessage, meta: Members, exchange: Exchange): MaybePromise<Answer> {
    const { tasks, tools } = this.#core;
    if (!tools.canPromise) return unknownMethod(request);
    const isKnown = request.method === "tasks/get" || request.method === "tasks/update" ||
      request.method === "tasks/cancel";
    if (!isKnown) return unknownMethod(request);
    if (!hasTasksExtension(meta[CLIENT_CAPABILITIES])) return tasksNeeded(request.id);
    return tasks.answer(request, this.#peer(request, meta, exchange), this.#dialect);
  }

  #peer(request: RequestMessage, meta: Members, exchange: Exchange): McpPeer {
    return new McpPeer(exchange, request.id, meta[CLIENT_CAPABILITIES], meta[CLIENT_INFO]);
  }
}
