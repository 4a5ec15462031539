/** Calls as another caller: by the API of the console, in the process of the server. */
import { actingAs, apiUrl } from "./api.ts";
import { asSchema } from "./json_schema.ts";
import { answersMeta, readAsked } from "./questions.ts";
import type { CallableWire } from "./wires.ts";

export const ACTING: CallableWire = {
  id: "acting",
  get title() {
    return `In process, as ${actingAs.value?.id ?? "another caller"}`;
  },
  request(tool, args, _, answered) {
    const as = actingAs.value;
    if (as === undefined) return undefined;
    const body = JSON.stringify({ tool, args, as, meta: answersMeta(answered) });
    return { method: "POST", url: apiUrl("call"), headers: { "content-type": "application/json" }, body, isApi: true };
  },
  answer(body) {
    const { kind, value, error, requests, ...rest } = asSchema(body);
    if (error !== undefined) return { kind: "error", value: error };
    if (requests !== undefined) return { kind: "questions", value: requests, asked: readAsked(body) };
    if (kind === "answer") return { kind, value };
    return { kind: kind === "failure" || kind === "promise" ? kind : "error", value: rest };
  },
};
