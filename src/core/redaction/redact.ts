/** Replaces secrets in JSON values before they are stored: by the names of members, by schemas, and by the look of text. */
import { asObject, isJsonObject, type Members, pointerKeys } from "../../internal/json.ts";
import { isOwnToken, isSecretName, REDACTED, redactPieces, redactText } from "./secrets.ts";

/** How much of a value may still be kept, and how much was left out. The redactor changes both. */
interface RedactionBudget {
  /** Characters that are left, about: those of texts and names, and some for each value. */
  left: number;
  /** Items, members and characters of texts that were left out. */
  cut: number;
}

/** Characters of a value beside its text. */
const VALUE_CHARS = 4;

/** Replaces secrets by marks, in copies. Finds them by names of members, by schemas and by their look. A second pass changes nothing. */
export interface Redactor {
  /** A value, with the JSON Schema that describes it. With a budget, only its beginning. */
  value(value: unknown, schema?: unknown, budget?: RedactionBudget): unknown;
  /** Texts that follow each other, such as the pieces of a stream. */
  pieces(texts: readonly string[]): string[];
  /** A list of tools. Names of members in their schemas are kept; defaults and examples of secret ones are not. */
  tools<Tool>(tools: readonly Tool[]): Tool[];
}

/** Minimum length of a literal secret in characters: shorter ones would be found everywhere. */
const MIN_LITERAL = 6;

/** Keywords of JSON Schema whose value is an example of the described value. */
const EXAMPLES: ReadonlySet<string> = new Set(["default", "examples", "example", "const", "enum"]);

/** Creates a redactor. @param literals Further known secrets, of 6 or more characters. Read on each use: more may be added later. */
export function createRedactor(literals: Iterable<string> = []): Redactor {
  const known = (): string[] => [...literals].filter((literal) => literal.length >= MIN_LITERAL);
  const text = (value: string): string => redactJson(value, text) ?? redactText(value, known());
  return {
    value: (value, schema, budget) =>
      redactValue(value, schema === undefined ? undefined : new SchemaPlace([schema], schema), text, budget),
    pieces: (texts) => redactPieces(texts, known()),
    tools: (tools) => tools.map((tool) => redactListed(tool, text, false) as typeof tool),
  };
}

/** Replaces secrets within a text. */
type RedactText = (text: string) => string;

function redactValue(
  value: unknown,
  place: SchemaPlace | undefined,
  text: RedactText,
  budget?: RedactionBudget,
): unknown {
  if (budget !== undefined) budget.left -= VALUE_CHARS;
  if (place?.isSecret === true) return redactWhole(value);
  if (typeof value === "string") return text(within(value, budget));
  if (Array.isArray(value)) {
    return mapWithin(value, budget, (item, index) => redactValue(item, place?.item(index), text, budget));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(mapWithin(Object.keys(value), budget, (name) => {
    const member = value[name];
    const isSecret = isSecretName(name) && !isPlain(member);
    return [
      text(within(name, budget)),
      isSecret ? redactWhole(member) : redactValue(member, place?.member(name), text, budget),
    ] as const;
  }));
}

/** Maps items until the budget is used up. */
function mapWithin<Item, Mapped>(
  items: readonly Item[],
  budget: RedactionBudget | undefined,
  map: (item: Item, index: number) => Mapped,
): Mapped[] {
  if (budget === undefined) return items.map(map);
  const mapped: Mapped[] = [];
  while (mapped.length < items.length && budget.left > 0) mapped.push(map(items[mapped.length]!, mapped.length));
  budget.cut += items.length - mapped.length;
  return mapped;
}

/** The part of a text that is within the budget. It ends at a space, if there is one: half of a secret does not look like one. */
function within(text: string, budget: RedactionBudget | undefined): string {
  if (budget === undefined) return text;
  const left = Math.max(0, budget.left);
  budget.left -= text.length;
  if (text.length <= left) return text;
  const space = text.lastIndexOf(" ", left);
  const end = space > 0 ? space : left;
  budget.cut += text.length - end;
  return text.slice(0, end);
}

/** JSON in a text, as tools of MCP return it. `undefined` if the text is not JSON, or holds no secret. */
function redactJson(value: string, text: RedactText): string | undefined {
  if (!/^\s*[[{]/.test(value)) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    const redacted = JSON.stringify(redactValue(parsed, undefined, text));
    return redacted === JSON.stringify(parsed) ? value : redacted;
  } catch {
    // It only looks like JSON.
    return undefined;
  }
}

/** Numbers and booleans beside the name of a secret are counts and settings, such as `max_tokens`. */
function isPlain(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** Tokens of Toolwire stay distinguishable. `null` and absent values are not secrets. */
function redactWhole(value: unknown): unknown {
  if (typeof value === "string" && isOwnToken(value)) return redactText(value);
  if (value === undefined || value === null || value === "") return value;
  return REDACTED;
}

/** @param isNamed Whether this is the schema of a member with the name of a secret. */
function redactListed(value: unknown, text: RedactText, isNamed: boolean): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => redactListed(item, text, isNamed));
  if (!isJsonObject(value)) return value;
  const isSecret = isSecretSchema(value);
  const redactExample = (member: unknown): unknown => {
    if (!isSecret && (!isNamed || isPlain(member))) return redactValue(member, undefined, text);
    return Array.isArray(member) ? member.map(redactExample) : redactWhole(member);
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (EXAMPLES.has(name)) return [name, redactExample(member)];
      if (name === "properties" && isJsonObject(member)) return [name, redactProperties(member, text)];
      return [text(name), redactListed(member, text, false)];
    }),
  );
}

function redactProperties(properties: Members, text: RedactText): Members {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, redactListed(schema, text, isSecretName(name))]),
  );
}

function isSecretSchema(schema: Members): boolean {
  return schema["writeOnly"] === true || schema["format"] === "password" || schema["x-secret"] === true;
}

/** Maximum number of schemas that describe one value, with references and alternatives. */
const MAX_FOLLOWED = 1_024;

/** All schemas of a document that describe one value. Each is in the set once, so that unions that refer to themselves do not multiply. */
class SchemaPlace {
  readonly #root: unknown;
  readonly #schemas: readonly Members[];

  constructor(schemas: readonly unknown[], root: unknown) {
    this.#root = root;
    this.#schemas = this.#follow(schemas);
  }

  get isSecret(): boolean {
    return this.#schemas.some(isSecretSchema);
  }

  member(name: string): SchemaPlace | undefined {
    return this.#place(this.#schemas.flatMap((schema) => {
      const properties = asObject(schema["properties"]);
      const patterns = Object.entries(asObject(schema["patternProperties"])).filter(([key]) => matches(key, name));
      const own = Object.hasOwn(properties, name) ? [properties[name]] : patterns.map(([, member]) => member);
      return own.length > 0 ? own : [schema["additionalProperties"]];
    }));
  }

  item(index: number): SchemaPlace | undefined {
    return this.#place(
      this.#schemas.map(({ prefixItems, items }) =>
        Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items
      ),
    );
  }

  #place(schemas: readonly unknown[]): SchemaPlace | undefined {
    return schemas.some(isJsonObject) ? new SchemaPlace(schemas, this.#root) : undefined;
  }

  #follow(schemas: readonly unknown[]): readonly Members[] {
    const followed = new Set<Members>();
    const queue = [...schemas];
    for (let at = 0; at < queue.length && followed.size < MAX_FOLLOWED; at++) {
      const next = queue[at];
      if (!isJsonObject(next) || followed.has(next)) continue;
      followed.add(next);
      for (const name of ["allOf", "anyOf", "oneOf"]) if (Array.isArray(next[name])) queue.push(...next[name]);
      for (const name of ["if", "then", "else"]) queue.push(next[name]);
      if (typeof next["$ref"] === "string") queue.push(this.#resolve(next["$ref"]));
    }
    return [...followed];
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    return pointerKeys(reference).reduce<unknown>((at, key) => Object(at)[key], this.#root);
  }
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    // The server would refuse it.
    return false;
  }
}
