import type { JsonObject } from "../../internal/json.ts";
import type { Schema } from "../schema/standard_schema.ts";

/** A question to the person or agent that calls. */
export interface ElicitRequest<Content = unknown> {
  /** For whoever answers. */
  readonly message: string;
  /** What an answer has to be. */
  readonly schema: Schema<unknown, Content>;
}

/** A request for more of something that the caller has to give. */
export interface MoreRequest {
  /** Name of what is needed, such as `credits`. */
  readonly more: string;
  /** How much of it. */
  readonly amount?: number;
  /** Why, for whoever decides. */
  readonly reason?: string;
}

/** A question that is answered on a page of the web: what is entered there does not come through the caller. */
export interface UrlRequest {
  /** For whoever answers. */
  readonly message: string;
  /** The page. */
  readonly url: string;
}

/** A request to the caller's model, as MCP's `sampling/createMessage` takes it; what else it takes may be given, too. */
export interface SampleRequest {
  /** The conversation so far. */
  readonly messages: readonly SampleMessage[];
  /** At most so many tokens. */
  readonly maxTokens: number;
  /** What the model is told first. */
  readonly systemPrompt?: string;
  /** How much chance there is in it. */
  readonly temperature?: number;
  /** What ends the answer. */
  readonly stopSequences?: readonly string[];
  /** Which models would do, and what matters. */
  readonly modelPreferences?: JsonObject;
  /** What the model may call. */
  readonly tools?: readonly JsonObject[];
  /** Whether it has to. */
  readonly toolChoice?: { readonly mode: "auto" | "required" | "none" };
  /** Passed on to the model's provider. */
  readonly metadata?: JsonObject;
}

/** One message of a conversation with a model. */
export interface SampleMessage {
  /** Who speaks. */
  readonly role: "user" | "assistant";
  /** A content block of MCP, such as `{ type: "text", text: "…" }`, or several. */
  readonly content: JsonObject | readonly JsonObject[];
}

/** What the caller's model said. */
export interface SampleResult extends SampleMessage {
  /** Which model it was. */
  readonly model: string;
  /** Why it ended: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, … */
  readonly stopReason?: string;
}

/** A request for the folders that the caller works in. */
export interface RootsRequest {
  /** Tells it from other questions. */
  readonly roots: true;
}

/** The folders that the caller works in. */
export interface RootsResult {
  /** Each by its `file://` URI. */
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** What a caller says to a question: an answer that fits the asked schema, or that there is none. */
export type ElicitAnswer<Content = unknown> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** One of several questions of `ctx.ask`. */
export type QuestionSpec = ElicitRequest<unknown> | MoreRequest | UrlRequest | SampleRequest | RootsRequest;

/** What the answer to one of several questions is, if it is given. */
export type AnswerTo<Asked> = Asked extends ElicitRequest<infer Content> ? Content
  : Asked extends SampleRequest ? SampleResult
  : Asked extends RootsRequest ? RootsResult
  : unknown;

/** What a caller says to each of several questions. */
export type Answers<Requests> = {
  readonly [Key in keyof Requests]: ElicitAnswer<AnswerTo<Requests[Key]>>;
};
