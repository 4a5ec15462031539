import type { JsonObject } from "../../internal/json.ts";
import type { PlainSchema, PlainValue } from "../schema/plain_schema.ts";
import type { Schema } from "../schema/standard_schema.ts";

/** A question to the person or agent that calls, answered with content that matches a schema: the request of `ctx.elicit`. */
export interface ElicitRequest<Content = unknown> {
  /** Text for the person or agent. */
  readonly message: string;
  /** Schema of the answer. */
  readonly schema: Schema<unknown, Content>;
  /** Number of times that the question is asked if answers do not fit; then the failure `unanswered`. Default: 3. */
  readonly attempts?: number | undefined;
}

/** A question as {@link ElicitRequest}, whose schema is plain JSON Schema or one of TypeBox. */
export interface PlainElicitRequest<Plain extends PlainSchema = PlainSchema> {
  /** Text for the person or agent. */
  readonly message: string;
  /** Schema of the answer. */
  readonly schema: Plain;
  /** Number of times that the question is asked if answers do not fit; then the failure `unanswered`. Default: 3. */
  readonly attempts?: number | undefined;
}

/** A request for more of something that the caller can grant, such as credits: for `ctx.requestMore` and `ctx.ask`. */
export interface MoreRequest {
  /** Name of what is requested, such as `credits`. */
  readonly more: string;
  /** Requested amount. */
  readonly amount?: number | undefined;
  /** Reason for the request. */
  readonly reason?: string | undefined;
}

/** A question that is answered on a web page, so that the input does not pass through the caller. */
export interface UrlRequest {
  /** Text for the person or agent. */
  readonly message: string;
  /** URL of the page. */
  readonly url: string;
}

/**
 * A request to the caller's model, with the parameters of MCP's `sampling/createMessage`. Further parameters are passed
 * on.
 */
export interface SampleRequest {
  /** Messages of the conversation. */
  readonly messages: readonly SampleMessage[];
  /** Maximum number of tokens to generate. */
  readonly maxTokens: number;
  /** System prompt. */
  readonly systemPrompt?: string | undefined;
  /**
   * Which servers' context the client adds: of this one, or of all that it is connected to. MCP advises against both unless the client
   * declares `sampling.context`, and clients may ignore it. Default: the client's, which is `none`.
   */
  readonly includeContext?: "none" | "thisServer" | "allServers" | undefined;
  /** Sampling temperature. */
  readonly temperature?: number | undefined;
  /** Sequences that stop the generation. */
  readonly stopSequences?: readonly string[] | undefined;
  /** Preferred models and priorities. */
  readonly modelPreferences?: JsonObject | undefined;
  /** Tools that the model may call. */
  readonly tools?: readonly JsonObject[] | undefined;
  /** Whether the model may or must call a tool. */
  readonly toolChoice?: { readonly mode: "auto" | "required" | "none" } | undefined;
  /** Metadata for the model's provider. */
  readonly metadata?: JsonObject | undefined;
}

/** One message of a conversation with a model. */
export interface SampleMessage {
  /** Author of the message. */
  readonly role: "user" | "assistant";
  /** An MCP content block, such as `{ type: "text", text: "…" }`, or several. */
  readonly content: JsonObject | readonly JsonObject[];
}

/** Response of the caller's model to a {@link SampleRequest}. */
export interface SampleResult extends SampleMessage {
  /** Name of the model. */
  readonly model: string;
  /** Reason for the end: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, … */
  readonly stopReason?: string;
}

/** A request for the folders that the caller works in, as one of the questions of `ctx.ask`: `{ roots: true }`. */
export interface RootsRequest {
  /** Distinguishes this request from other questions. */
  readonly roots: true;
}

/** Content of an accepted answer to `ctx.roots`: the folders that the caller works in. */
export interface RootsResult {
  /** Folders, with `file://` URIs. */
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** Response to a question: accepted with content that matches the schema, declined, or cancelled (dismissed without a choice). */
export type ElicitAnswer<Content = unknown> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** One of several questions of `ctx.ask`. */
export type QuestionSpec =
  | ElicitRequest<unknown>
  | PlainElicitRequest
  | MoreRequest
  | UrlRequest
  | SampleRequest
  | RootsRequest;

/** Type of the content of an accepted answer, by its question. `unknown` for web pages and requests for more, which have no schema. */
export type AnswerTo<Asked> = Asked extends ElicitRequest<infer Content> ? Content
  : Asked extends PlainElicitRequest<infer Plain> ? PlainValue<Plain>
  : Asked extends SampleRequest ? SampleResult
  : Asked extends RootsRequest ? RootsResult
  : unknown;

/** Result of `ctx.ask`: the response to each question, by the keys of the questions. */
export type Answers<Requests> = {
  readonly [Key in keyof Requests]: ElicitAnswer<AnswerTo<Requests[Key]>>;
};
