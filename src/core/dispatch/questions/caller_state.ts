import { isJsonObject, type Json } from "../../../internal/json.ts";
import { compileValidator } from "../../schema/compile.ts";
import type { SchemaResult } from "../../schema/standard_schema.ts";
import type { CallerState, CallerStateSlot } from "../../handler/caller_state.ts";
import type { CallContext } from "../call_context.ts";

/** How long a caller's state lasts from its last change, in milliseconds: thirty days. */
const LIFETIME_MS = 2_592_000_000;

/** The state that a caller keeps, during one call. What cannot be read counts as nothing. */
export class SignedCallerState implements CallerState {
  readonly #run: CallContext;
  readonly #values: Map<string, Json>;
  #isChanged = false;

  constructor(run: CallContext) {
    this.#run = run;
    const { keys, clock } = run.services;
    const blob = run.call.meta?.context;
    const verified = blob === undefined ? "invalid" : keys.verify("context", blob, run.principalId, clock.now());
    const data = typeof verified === "string" ? undefined : verified.data;
    this.#values = new Map(isJsonObject(data) ? Object.entries(data) as [string, Json][] : []);
  }

  get<Value>(slot: CallerStateSlot<Value>): Value | undefined {
    const value = this.#values.get(this.#keyOf(slot.name));
    if (value === undefined) return undefined;
    const checked = check(slot, structuredClone(value));
    return checked.issues === undefined ? checked.value as Value : undefined;
  }

  set<Value>(slot: CallerStateSlot<Value>, value: Value | undefined): void {
    const { name, promise, external } = this.#run.definition;
    if (promise !== undefined || external !== undefined) {
      throw new TypeError(
        `Cannot set context "${slot.name}" in tool "${name}": its answer may come later than other calls`,
      );
    }
    this.#isChanged = true;
    if (value === undefined) return void this.#values.delete(this.#keyOf(slot.name));
    const json: Json = JSON.parse(JSON.stringify(value));
    const { issues } = check(slot, json);
    if (issues !== undefined) {
      throw new TypeError(
        `Cannot set context "${slot.name}": the value does not fit its schema: ${issues[0]?.message}`,
      );
    }
    this.#values.set(this.#keyOf(slot.name), json);
  }

  /** What a slot is called among those of all parts: each group has its own. */
  #keyOf(name: string): string {
    const path = this.#run.definition.part?.path ?? [];
    // Slots have any names: no separator keeps them apart.
    return path.length === 0 ? name : JSON.stringify([...path, name]);
  }

  /**
   * The state for the caller to keep; `undefined` if nothing changed.
   *
   * @throws {RangeError} If there is more than fits.
   */
  encode(): string | undefined {
    if (!this.#isChanged) return undefined;
    const { services: host, principalId } = this.#run;
    return host.keys.sign("context", {
      id: crypto.randomUUID(),
      expSeconds: Math.ceil((host.clock.now() + LIFETIME_MS) / 1000),
      tool: "",
      principal: principalId,
      data: Object.fromEntries(this.#values),
    });
  }
}

function check(slot: CallerStateSlot<unknown>, value: unknown): SchemaResult {
  const checked = compileValidator(slot.schema, `Schema of context "${slot.name}"`)(value);
  if (checked instanceof Promise) {
    throw new TypeError(`Cannot check context "${slot.name}": its schema is asynchronous`);
  }
  return checked;
}
