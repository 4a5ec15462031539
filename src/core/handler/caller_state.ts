import type { Schema } from "../schema/standard_schema.ts";

/**
 * A named piece of state that the caller keeps for the server, as a browser keeps a cookie.
 *
 * @typeParam Value What is kept.
 */
export interface CallerStateSlot<Value> {
  /** Its name: one a server. */
  readonly name: string;
  /** What it has to be. */
  readonly schema: Schema<unknown, Value>;
}

/** The state that the caller keeps, as a handler sees it. */
export interface CallerState {
  /** What the caller keeps under the slot's name; `undefined` if it keeps nothing (any more), or nothing that fits. */
  get<Value>(slot: CallerStateSlot<Value>): Value | undefined;
  /**
   * Has the caller keep `value`, or forget what it keeps (`undefined`), once the call ends with an answer or a failure.
   *
   * @throws {TypeError} If the value does not fit the slot's schema, or the tool promises its answers: those are given when
   * the context has moved on.
   */
  set<Value>(slot: CallerStateSlot<Value>, value: Value | undefined): void;
}

/**
 * Names a piece of state that callers keep for the server: signed, so that nobody else can have written it, and nowhere stored.
 *
 * It is for small things, 6,000 characters in all: what was chosen, how far a conversation has come. Callers can read it.
 *
 * @example A conversation of two calls
 * ```ts
 * import { createServer, defineCallerState, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const cart = defineCallerState("cart", v.array(v.string()));
 * const put = defineTool("put").describe("Put something into the cart")
 *   .input(v.object({ item: v.string() }))
 *   .handle(({ item }, ctx) => {
 *     const items = [...(ctx.callerState.get(cart) ?? []), item];
 *     ctx.callerState.set(cart, items);
 *     return items;
 *   });
 *
 * const client = testClient(createServer({ tools: [put], keys: "k1:a secret of at least thirty-two bytes" }));
 * await client.put({ item: "tea" });
 * deepStrictEqual(await client.put({ item: "milk" }), ["tea", "milk"]);
 * ```
 * @param name One a server.
 * @param schema What it has to be; a value that no longer fits is forgotten.
 */
export function defineCallerState<Value>(name: string, schema: Schema<unknown, Value>): CallerStateSlot<Value> {
  return { name, schema };
}
