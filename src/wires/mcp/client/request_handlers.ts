import type { MaybePromise } from "../../../internal/async.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { toElicitResult, toQuestion } from "./questions.ts";
import type { McpElicitation, McpElicitationResult, McpRoot, McpSampling, McpSamplingResult } from "./types.ts";

/** Handlers of the transport's user for requests of the server. */
export class RequestHandlers {
  /** Handler of `elicitation/create`. */
  elicitation: ((question: McpElicitation) => MaybePromise<McpElicitationResult>) | undefined = undefined;
  /** Handler of `sampling/createMessage`. */
  sampling: ((request: McpSampling) => MaybePromise<McpSamplingResult>) | undefined = undefined;
  /** Handler of `roots/list`. */
  roots: (() => MaybePromise<readonly McpRoot[]>) | undefined = undefined;

  /** Capabilities of the client. Elicitation needs no handler: the question is then the outcome of the call. */
  get capabilities(): Members {
    return {
      elicitation: { form: {}, url: {} },
      ...(this.sampling !== undefined && { sampling: {} }),
      ...(this.roots !== undefined && { roots: {} }),
    };
  }

  /** The result for a request of the server; `undefined` if it has no handler. Rejects with what the handler throws. */
  answer(request: InputRequest): Promise<Members> | undefined {
    const { elicitation, sampling, roots } = this;
    const { method, params } = request;
    if (method === "elicitation/create" && elicitation !== undefined) return elicit(elicitation, request);
    if (method === "sampling/createMessage" && sampling !== undefined) return sample(sampling, params);
    return method === "roots/list" && roots !== undefined ? listRoots(roots) : undefined;
  }
}

async function elicit(handler: NonNullable<RequestHandlers["elicitation"]>, request: InputRequest): Promise<Members> {
  const response = await handler(request.params as unknown as McpElicitation);
  return toElicitResult(asObject(response), toQuestion("", request).encoding);
}

async function sample(handler: NonNullable<RequestHandlers["sampling"]>, params: Members): Promise<Members> {
  return asObject(await handler(params as unknown as McpSampling));
}

async function listRoots(handler: NonNullable<RequestHandlers["roots"]>): Promise<Members> {
  return { roots: await handler() };
}
