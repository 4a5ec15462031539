/** Arguments that may be part of an address: addresses stay in histories and logs. */
import { isOwnToken, isSecretName } from "../src/core/redaction/secrets.ts";
import { alternatives, asSchema, isObject, type Json, resolve, type Schema } from "./json_schema.ts";

/** Whether a field holds a secret, by its schema. */
export function isSecretField(schema: Schema): boolean {
  return schema["format"] === "password" || schema["writeOnly"] === true;
}

/** The value without members that are secrets by their schema, their name or their look. */
export function withoutSecrets(value: Json, given: unknown, root: Schema): Json {
  const schema = resolve(given, root);
  if (Array.isArray(value)) return value.map((item: Json) => withoutSecrets(item, schema["items"], root));
  if (!isObject(value)) return value;
  const options = [schema, ...alternatives(schema, root)];
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const schemas = options.map((option) => {
      const properties = asSchema(option["properties"]);
      return resolve(Object.hasOwn(properties, name) ? properties[name] : option["additionalProperties"], root);
    });
    const isToken = typeof member === "string" && isOwnToken(member);
    if (isToken || isSecretName(name) || schemas.some(isSecretField)) return [];
    return [[name, withoutSecrets(member, schemas.find((one) => Object.keys(one).length > 0), root)]];
  });
  return Object.fromEntries(kept);
}
