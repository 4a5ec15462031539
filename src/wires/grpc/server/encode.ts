/**
 * Writes what MCP-lite over gRPC answers: responses, with their meta where they are the last, and the list of tools.
 *
 * Functions that write a tool's value throw what `JSON.stringify` throws.
 * Source: docs/spec.md 5.2-5.4 and A.1-A.4.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import type { CallEvent, Outcome } from "../../../core/call/outcome.ts";
import { eventToJson, handlerMeta, questionsToJson } from "../../framing/result/encode.ts";
import type { Members } from "../../../internal/json.ts";
import type { ToolListing } from "../../../core/tool/listing.ts";
import { BLANK_META, type ResponseMembers, type ResponseMetaMembers } from "../messages/binary.ts";
import { ResponseType, type Tool, ToolSchema } from "../messages/gen/mcplite_pb.ts";
import { toJsonObject } from "../messages/json.ts";

/** What every meta says. */
export interface Common {
  /** When the call began, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** When it ended, likewise. */
  readonly nowMs: number;
  /** Version of the server. */
  readonly serverVersion: string;
}

const MAX_INT32 = 2_147_483_647;

/** The last response to a call. */
export function encodeOutcome(outcome: Outcome, common: Common): ResponseMembers {
  const meta = {
    ...BLANK_META,
    timestamp: toInt64(common.nowMs),
    // A clock that was set back must not give a negative duration.
    processingTimeMs: toInt32(Math.max(0, common.nowMs - common.startedMs)),
    serverVersion: common.serverVersion,
    ...outcomeMeta(outcome),
  };
  return { result: toJsonObject(resultOf(outcome)), meta };
}

/** A response on the way. */
export function encodeEvent(event: CallEvent): ResponseMembers {
  return { result: toJsonObject(eventToJson(event)) };
}

/** A tool as it is listed. */
export function encodeTool(tool: ToolListing): Tool {
  const { name, "@type": type = "", title = "", description, inputSchema, outputSchema, annotations, _meta } = tool;
  return create(ToolSchema, {
    name,
    type,
    title,
    description,
    inputSchema: toJsonObject(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: toJsonObject(outputSchema) }),
    ...(annotations !== undefined && { annotations: toJsonObject(annotations) }),
    ...(_meta !== undefined && { meta: toJsonObject(_meta) }),
  });
}

function resultOf(outcome: Outcome): Members {
  switch (outcome.kind) {
    case "answer":
      return { content: outcome.value };
    case "failure": {
      const { code, message, data } = outcome;
      return { content: { code, message, data } };
    }
    default:
      return {};
  }
}

function outcomeMeta(outcome: Outcome): Partial<ResponseMetaMembers> {
  switch (outcome.kind) {
    case "answer":
    case "failure": {
      const { context = "", meta } = outcome;
      return {
        responseType: outcome.kind === "answer" ? ResponseType.ANSWER : ResponseType.FAILURE,
        context,
        ...(meta !== undefined && { extra: toJsonObject(handlerMeta(outcome)) }),
      };
    }
    case "promise": {
      const { token, expiresAtMs, retryAfterMs, estimatedMs = 0, progress } = outcome;
      return {
        responseType: ResponseType.PROMISE,
        promiseToken: token,
        expiresAt: toInt64(expiresAtMs),
        retryAfterMs: toInt32(retryAfterMs),
        estimatedCompletion: toInt64(estimatedMs),
        ...(progress !== undefined && { progress: toJsonObject({ ...progress }) }),
      };
    }
    case "elicitation":
    case "request-for-more-resource":
      return {
        responseType: outcome.kind === "elicitation"
          ? ResponseType.ELICITATION
          : ResponseType.REQUEST_FOR_MORE_RESOURCE,
        continuation: outcome.continuation,
        requests: toJsonObject(questionsToJson(outcome)),
      };
  }
}

function toInt64(value: number): bigint {
  return BigInt(Math.round(value));
}

function toInt32(value: number): number {
  return Math.min(MAX_INT32, Math.ceil(value));
}
