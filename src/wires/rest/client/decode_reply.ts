/**
 * Decodes the responses of the REST wire.
 *
 * Never throws. An answer needs the media type that the client has asked for: JSON of another server may be anything. A problem
 * document without our `type` is an error by its status.
 *
 * @module
 */
import { type CallResult, type ErrorResult, errorResult, type UnknownOutcome } from "../../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import { decodeStatus } from "../../framing/json_rpc/decode_error.ts";
import { decodeResult, DEFAULT_ERROR_MESSAGE, removeToolName } from "../../framing/result/decode.ts";
import { ENVELOPE_TYPE, problemKind } from "../messages/problem.ts";

/** The head of a response. */
type ResponseHead = Pick<Response, "status" | "ok" | "headers">;

/** Decodes the response of a call. `json` is `undefined` if the text is not JSON. */
export function decodeCallReply(response: ResponseHead, text: string, json: unknown): CallResult | UnknownOutcome {
  const { ok, status, headers } = response;
  if (!ok) return decodeProblem(asObject(json), status, text);
  const members = asObject(json);
  if (status === 202 && typeof members["promise_token"] === "string") {
    return decodeResult({ _meta: { ...members, response_type: "promise" } });
  }
  const isEnvelope = headers.get("content-type")?.toLowerCase().startsWith(ENVELOPE_TYPE) === true;
  return status === 200 && isEnvelope && isJsonObject(json) ? decodeResult(json) : decodeStatus(status, text, "REST");
}

/** Decodes a problem document: a failure, a question or an error. Without our `type` it is an error by `status`. */
export function decodeProblem(problem: Members, status: number, text: string): CallResult | UnknownOutcome {
  const { type, code, detail, data, _meta, continuation, requests } = problem;
  const kind = typeof code === "string" ? problemKind(type) : undefined;
  switch (kind) {
    case "failure":
      return decodeResult({
        content: { code, message: detail, data },
        _meta: { ...asObject(_meta), response_type: kind },
      });
    case "question":
      return decodeResult({ _meta: { response_type: code, continuation, requests } });
    case "error":
      return removeToolName(errorResult(code as ToolErrorCode, typedOr(detail, DEFAULT_ERROR_MESSAGE), data));
    default:
      return foreignProblem(problem, status, text);
  }
}

/** Makes the error of a response that is not ours. The detail of a problem document is its message. */
function foreignProblem({ detail, title }: Members, status: number, text: string): ErrorResult {
  const error = decodeStatus(status, text, "REST");
  const message = typedOr(detail, typedOr(title, ""));
  return message === "" ? error : { ...error, message };
}

/** Decodes a list of tools, which is an array or a member of an object; `undefined` for other values. */
export function decodeTools(json: unknown): readonly (Members & { readonly name: string })[] | undefined {
  const { tools = json } = asObject(json);
  if (!Array.isArray(tools)) return undefined;
  const named = tools.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string");
  return named ? tools as (Members & { readonly name: string })[] : undefined;
}
