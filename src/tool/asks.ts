import type { Schema } from "../schema/schema.ts";

/** A question to the person or agent that calls. */
export interface ElicitRequest<Content = unknown> {
  /** For whoever answers. */
  readonly message: string;
  /** What an answer has to be. */
  readonly schema: Schema<unknown, Content>;
}

/** A request for more of something that the caller has to give. */
export interface ResourceRequest {
  /** Its name, such as `credits`. */
  readonly resource: string;
  /** How much of it. */
  readonly amount?: number;
  /** Why, for whoever decides. */
  readonly reason?: string;
}

/** What a caller says to a question: an answer that fits the asked schema, or that there is none. */
export type ElicitAnswer<Content = unknown> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** One of several questions of `ctx.ask`. */
export type AskedFor = ElicitRequest<unknown> | ResourceRequest;

/** What a caller says to each of several questions. */
export type Answers<Requests> = {
  readonly [Key in keyof Requests]: ElicitAnswer<
    Requests[Key] extends ElicitRequest<infer Content> ? Content : unknown
  >;
};
