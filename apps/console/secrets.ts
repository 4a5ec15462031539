/** Arguments that may be part of an address: addresses stay in histories and logs. */
import { createRedactor } from "../../src/core/redaction/redact.ts";
import { isSecretName } from "../../src/core/redaction/secrets.ts";
import { isObject, type Json, type Schema } from "./json_schema.ts";

const redactor = createRedactor();

/** Whether a field holds a secret, by its name or its schema. */
export function isSecretField(name: unknown, schema: Schema, { $defs, definitions }: Schema): boolean {
  if (typeof name === "string" && isSecretName(name)) return true;
  return redactor.value("-", { $defs, definitions, ...schema }) !== "-";
}

/** The value without members and items that hold a secret by their schema, their name or their look. */
export function withoutSecrets(value: Json, schema: Schema): Json {
  return unchanged(value, redactor.value(value, schema)) ?? {};
}

/** The parts of a value that the redactor left as they were. */
function unchanged(value: Json, redacted: unknown): Json | undefined {
  if (Array.isArray(value) && Array.isArray(redacted)) {
    return value.flatMap((item: Json, at) => {
      const kept = unchanged(item, redacted[at]);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isObject(value) || typeof redacted !== "object" || redacted === null) {
    return value === redacted ? value : undefined;
  }
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const left = Object.hasOwn(redacted, name) ? unchanged(member, Object(redacted)[name]) : undefined;
    return left === undefined ? [] : [[name, left]];
  });
  return Object.fromEntries(kept);
}
