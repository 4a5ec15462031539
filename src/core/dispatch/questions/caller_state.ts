import { isJsonObject, type Json } from "../../../internal/json.ts";
import type { SchemaAdapter } from "../../schema/adapter.ts";
import { compileValidator } from "../../schema/compile.ts";
import type { SchemaResult } from "../../schema/standard_schema.ts";
import type { TokenKeys } from "../../token/token.ts";
import type { CallerStateSlot } from "../../handler/caller_state.ts";
import { callerKeyOf, type EncodableCallerState, type ResumableRun } from "../services.ts";

/** Lifetime of caller state since its last change, in milliseconds: thirty days. */
const LIFETIME_MS = 2_592_000_000;

/** Caller state during one call. State whose signature is invalid, expired or of another principal counts as empty, without an error. */
export class SignedCallerState implements EncodableCallerState {
  readonly #run: ResumableRun;
  readonly #keys: TokenKeys;
  readonly #values: Map<string, Json>;
  #isChanged = false;

  constructor(run: ResumableRun, keys: TokenKeys) {
    this.#run = run;
    this.#keys = keys;
    const { clock } = run.services;
    const blob = run.request.meta?.context;
    const verified = blob === undefined ? "invalid" : keys.verify("context", blob, callerKeyOf(run), clock.now());
    const data = typeof verified === "string" ? undefined : verified.data;
    this.#values = new Map(isJsonObject(data) ? Object.entries(data) as [string, Json][] : []);
  }

  get<Value>(slot: CallerStateSlot<Value>): Value | undefined {
    const value = this.#values.get(this.#qualify(slot.name));
    if (value === undefined) return undefined;
    const checked = check(slot, structuredClone(value), this.#run.definition.adapters);
    return checked.issues === undefined ? checked.value as Value : undefined;
  }

  set<Value>(slot: CallerStateSlot<Value>, value: Value | undefined): void {
    const { name, promise, external } = this.#run.definition;
    if (promise !== undefined || external !== undefined) {
      throw new TypeError(
        `Cannot set caller state "${slot.name}" in tool "${name}": with .promise() or .external() its answer may come after those of later calls`,
      );
    }
    this.#isChanged = true;
    if (value === undefined) return void this.#values.delete(this.#qualify(slot.name));
    const json: Json = JSON.parse(JSON.stringify(value));
    const { issues } = check(slot, json, this.#run.definition.adapters);
    if (issues !== undefined) {
      throw new TypeError(
        `Cannot set caller state "${slot.name}": the value does not fit its schema: ${issues[0]?.message}`,
      );
    }
    this.#values.set(this.#qualify(slot.name), json);
  }

  /** The name of a slot with the path of its group, so that slots of different groups are separate. */
  #qualify(name: string): string {
    const path = this.#run.definition.part?.path ?? [];
    // A slot may have any name, so no separator is safe.
    return path.length === 0 ? name : JSON.stringify([...path, name]);
  }

  encode(): string | undefined {
    if (!this.#isChanged) return undefined;
    const { services } = this.#run;
    return this.#keys.sign("context", {
      id: crypto.randomUUID(),
      expSeconds: Math.ceil((services.clock.now() + LIFETIME_MS) / 1000),
      tool: "",
      principal: callerKeyOf(this.#run),
      data: Object.fromEntries(this.#values),
    });
  }
}

function check(
  slot: CallerStateSlot<unknown>,
  value: unknown,
  adapters: readonly SchemaAdapter[],
): SchemaResult {
  const checked = compileValidator(slot.schema, { where: `Schema of caller state "${slot.name}"`, adapters })(value);
  if (checked instanceof Promise) {
    throw new TypeError(`Cannot check caller state "${slot.name}": its schema is asynchronous`);
  }
  return checked;
}
