import { asObject, type Members } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { toElicitResult, toQuestion } from "./questions.ts";
import type { McpElicitation, McpElicitationResult, McpRoot, McpSampling, McpSamplingResult } from "./types.ts";

/** What the user of a transport says to what its server asks. */
export class Handlers {
  /** Fills in forms, goes to pages. */
  elicitation: ((question: McpElicitation) => MaybePromise<McpElicitationResult>) | undefined = undefined;
  /** Asks a model. */
  sampling: ((request: McpSampling) => MaybePromise<McpSamplingResult>) | undefined = undefined;
  /** Knows the folders. */
  roots: (() => MaybePromise<readonly McpRoot[]>) | undefined = undefined;

  /** What the server is told that it can ask. A question without a handler is a call's outcome: whoever made the call may answer. */
  get capabilities(): Members {
    return {
      elicitation: { form: {}, url: {} },
      ...(this.sampling !== undefined && { sampling: {} }),
      ...(this.roots !== undefined && { roots: {} }),
    };
  }

  /** The protocol's result for what is asked; `undefined` if nobody here knows. Rejects with what the handler throws. */
  answer(request: InputRequest): Promise<Members> | undefined {
    const { elicitation, sampling, roots } = this;
    const { method, params } = request;
    if (method === "elicitation/create" && elicitation !== undefined) return elicit(elicitation, request);
    if (method === "sampling/createMessage" && sampling !== undefined) return sample(sampling, params);
    return method === "roots/list" && roots !== undefined ? listRoots(roots) : undefined;
  }
}

async function elicit(handler: NonNullable<Handlers["elicitation"]>, request: InputRequest): Promise<Members> {
  const said = await handler(request.params as unknown as McpElicitation);
  return toElicitResult(asObject(said), toQuestion("", request).form);
}

async function sample(handler: NonNullable<Handlers["sampling"]>, params: Members): Promise<Members> {
  return asObject(await handler(params as unknown as McpSampling));
}

async function listRoots(handler: NonNullable<Handlers["roots"]>): Promise<Members> {
  return { roots: await handler() };
}
