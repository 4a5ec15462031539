/** Calls, resources and prompts as another caller: by the API of the console, in the process of the server. */
import { actingAs, apiUrl } from "./api.ts";
import { asSchema } from "./json_schema.ts";
import type { Outcome } from "./outcome.ts";
import { type Answered, answersMeta, readAsked } from "./questions.ts";
import type { CallableWire, WireRequest } from "./exchange.ts";

export const ACTING: CallableWire = {
  id: "acting",
  get title() {
    return `In process, as ${actingAs.value?.id ?? "another caller"}`;
  },
  request: (tool, args, _, answered) => actingRequest("call", { tool, args }, answered),
  answer(body): Outcome {
    const { kind, value, error, requests, ...rest } = asSchema(body);
    if (error !== undefined) return { kind: "error", value: error };
    if (requests !== undefined) return { kind: "questions", value: requests, asked: readAsked(body) };
    if (kind === "answer") return { kind, value };
    return { kind: kind === "failure" || kind === "promise" ? kind : "error", value: rest };
  },
};

/** A request to `path` of the API as the caller that the page acts as; `undefined` if it does not act as one. */
export function actingRequest(path: "call" | "content", input: object, answered?: Answered): WireRequest | undefined {
  const as = actingAs.value;
  if (as === undefined) return undefined;
  const body = JSON.stringify({ ...input, as, meta: answersMeta(answered) });
  return { method: "POST", url: apiUrl(path), headers: { "content-type": "application/json" }, body, isApi: true };
}
