/**
 * Keys: what signs tokens, and brings questions, steps and caller state to a server of `./core`. The front door takes the text of the keys
 * and needs no import; `./keys/sealed` encrypts, too.
 *
 * @example A server of the core that asks its caller
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire/core";
 * import { jsonSchema } from "jsr:@toolwire/toolwire/json-schema";
 * import { keyRing } from "jsr:@toolwire/toolwire/keys";
 *
 * const Colour = jsonSchema({ type: "object", properties: { colour: { type: "string" } }, required: ["colour"] });
 * const paint = defineTool("paint").describe("Paint a wall").handle(async (_, ctx) => {
 *   const answer = await ctx.elicit("colour", { message: "Which colour?", schema: Colour });
 *   return answer.action;
 * });
 * const server = createServer({ tools: [paint], keys: keyRing("k1:a secret of at least thirty-two bytes") });
 * console.log(server.tools.length); // → 1
 * ```
 *
 * @module
 */
export { keyRing, type KeyRingOptions } from "../core/keys/key_ring.ts";
export { withQuestions } from "../core/dispatch/questions/with_questions.ts";
export type { QuestionKeys } from "../core/dispatch/services.ts";
export type { Hmac, TokenGuard } from "../core/token/guard.ts";
export type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "../core/token/token.ts";
