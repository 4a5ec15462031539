import type { AnySchema, PlainSchema, PlainValue } from "../schema/plain_schema.ts";
import type { Schema } from "../schema/standard_schema.ts";

/**
 * Name and schema of a value that the caller stores for the server, as a browser stores a cookie.
 *
 * @typeParam Value Type of the value.
 */
export interface CallerStateSlot<Value> {
  /** Name, unique on a server. */
  readonly name: string;
  /** Schema of the value: a Standard Schema, or plain JSON Schema. */
  readonly schema: AnySchema<Value>;
}

/** The `ctx.callerState` of a call: values that the caller stores for the server, signed, by their slots. Needs the option `keys`. */
export interface CallerState {
  /** Returns the stored value. `undefined` if none is stored, its signature has expired (30 days), or it no longer matches the schema. */
  get<Value>(slot: CallerStateSlot<Value>): Value | undefined;
  /**
   * Sets the value, or deletes it if `value` is `undefined`, when the call ends with an answer or a failure.
   *
   * @throws {TypeError} If the value does not match the schema, or the tool has `.promise()` or `.external()`: its answer may arrive
   * after newer caller state.
   */
  set<Value>(slot: CallerStateSlot<Value>, value: Value | undefined): void;
}

/**
 * Defines a value that callers store for the server. It is signed, so that only the server can have written it, and not
 * stored on the server.
 *
 * All values together are limited to 6,000 characters. Callers can read them.
 *
 * @example A conversation of two calls
 * ```ts
 * import { createServer, defineCallerState, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
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
 * console.log(await client.put({ item: "milk" })); // → ["tea", "milk"]
 * ```
 * @param name Name, unique on a server.
 * @param schema Schema of the value. Stored values that no longer match are dropped.
 */
export function defineCallerState<Value>(name: string, schema: Schema<unknown, Value>): CallerStateSlot<Value>;
/** Defines a value with a plain JSON Schema, or a schema of TypeBox. */
export function defineCallerState<const Plain extends PlainSchema>(
  name: string,
  schema: Plain,
): CallerStateSlot<PlainValue<Plain>>;
export function defineCallerState(name: string, schema: AnySchema): CallerStateSlot<unknown> {
  return { name, schema };
}
