/**
 * Encodes responses of MCP-lite over gRPC, and the lists of tools and prompts.
 *
 * A function that encodes a value of a tool throws if `JSON.stringify` throws.
 * Source: docs/spec.md 5.2-5.4 and A.1-A.4.
 */
import { create } from "@bufbuild/protobuf";
import type { CallEvent, Outcome } from "../../../core/call/outcome.ts";
import { eventToJson, handlerMeta, questionsToJson } from "../../framing/result/encode.ts";
import { type Members, omitUndefined } from "../../../internal/json.ts";
import type { ToolListing } from "../../../core/tool/listing.ts";
import { EMPTY_META, type ResponseMembers, type ResponseMetaMembers } from "../messages/binary.ts";
import { type Prompt, PromptSchema, ResponseType, type Tool, ToolSchema } from "../messages/gen/mcplite_pb.ts";
import { toJsonObject } from "../messages/json.ts";
import type { PromptListing } from "../../../core/content/prompt.ts";

/** Times of a call and version of the server, for the meta of the last response. */
export interface ResponseContext {
  /** Start of the call, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** End of the call, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  readonly serverVersion: string;
}

const MAX_INT32 = 2_147_483_647;

/** Encodes the last response to a call, with its meta. */
export function encodeOutcome(outcome: Outcome, { startedMs, nowMs, serverVersion }: ResponseContext): ResponseMembers {
  const meta = {
    ...EMPTY_META,
    timestamp: toInt64(nowMs),
    // The clock may have been set back.
    processingTimeMs: toInt32(Math.max(0, nowMs - startedMs)),
    serverVersion,
    ...outcomeMeta(outcome),
  };
  return { result: toJsonObject(resultOf(outcome)), meta };
}

/** Encodes an event of a call, as a response without meta. */
export function encodeEvent(event: CallEvent): ResponseMembers {
  return { result: toJsonObject(eventToJson(event)) };
}

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

/** Encodes a prompt for the list of prompts (docs/spec.md 8.1). */
export function encodePrompt(prompt: PromptListing): Prompt {
  const { name, title = "", description, arguments: args = [], _meta } = prompt;
  return create(PromptSchema, {
    name,
    title,
    description,
    arguments: args.map((argument) => omitUndefined(argument)),
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
