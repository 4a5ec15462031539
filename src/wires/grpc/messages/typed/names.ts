/** Names of packages, messages and fields, and numbers of fields. */
import type { FieldType } from "./types.ts";

/** Maximum length of a name, in characters. Names of properties are chosen by servers. */
const MAX_NAME = 120;

/** Names that are keywords of Python. */
const KEYWORDS: ReadonlySet<string> = new Set(["none", "true", "false"]);

/** Parts of the names of packages that the service uses itself. */
const USED_PACKAGES: ReadonlySet<string> = new Set(["google", "grpc", "mcplite"]);

/** Words of a name: `searchDocuments`, `search-documents` and `search_documents` have the same two. */
function wordsOf(name: string): string[] {
  return name.slice(0, MAX_NAME).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
}

/** Converts the name of a tool or property to that of a method or message: `SearchDocuments` for `search_documents`. */
export function typeNameOf(name: string): string {
  const words = name.slice(0, MAX_NAME).match(/[A-Za-z0-9]+/g) ?? [];
  const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  // The compiler gives the message of a map's entries such a name.
  if (joined.endsWith("Entry")) return `${joined}Type`;
  return /^[A-Z]/.test(joined) ? joined : `Type${joined}`;
}

/** Returns `name`, with a number if it is taken (in any case) or a keyword, and adds it to `taken` in lower case. */
export function takeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()) || KEYWORDS.has(free.toLowerCase()); number++) {
    free = `${name}_${number}`;
  }
  taken.add(free.toLowerCase());
  return free;
}

/** Returns the package of a server's name: `acme_docs` for `@acme/docs`. */
export function packageOf(serverName: string): string {
  const name = wordsOf(serverName).join("_").toLowerCase();
  if (name === "" || /^\d/.test(name)) return `server_${name}`.replace(/_$/, "");
  return USED_PACKAGES.has(name) ? `${name}_tools` : name;
}

/** Whether a value is the name of a package that the service may have: words between dots, not `google`, `grpc` or `mcplite`. */
export function isPackage(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/.test(text) &&
    !text.split(".").some((part) => USED_PACKAGES.has(part));
}

/** A field of a message, before it has a name and a number. */
export interface Unnumbered {
  /** Name of the property; `undefined` for the map of the others. */
  readonly key: string | undefined;
  readonly type: FieldType;
}

/** Name and number of a field. */
export interface FieldIdentity {
  readonly name: string;
  readonly number: number;
}

/**
 * Returns names and numbers of the fields of one message, in their order.
 *
 * A number is a hash of the name of the property and of the kind of its type, so that no other property changes it. A name is in
 * snake case. Where several properties have the same, those that are written otherwise get their number as a suffix.
 */
export function identifyFields(fields: readonly Unnumbered[]): readonly FieldIdentity[] {
  const numbers = numbersOf(fields);
  const names = fields.map(({ key }) => key === undefined ? "additional_properties" : snakeCase(key));
  return fields.map(({ key }, index) => {
    const name = names[index] as string;
    const number = numbers[index] as number;
    const isFree = name === key || names.indexOf(name) === names.lastIndexOf(name);
    return { name: isFree && name !== "" ? name : `${name || "field"}_${number}`, number };
  });
}

function snakeCase(key: string): string {
  const name = wordsOf(key).join("_").toLowerCase();
  return /^\d/.test(name) ? `field_${name}` : name;
}

/** Two fields with the same hash, one in about 500 million, get another one for the name that is later in the alphabet. */
function numbersOf(fields: readonly Unnumbered[]): readonly number[] {
  const texts = fields.map(({ key, type }) => `${key ?? ""}\0${familyOf(type)}`);
  const numbers = new Map<string, number>();
  const taken = new Set<number>();
  for (const text of [...texts].sort()) {
    let number = hashOf(text);
    for (let salt = 1; taken.has(number); salt++) number = hashOf(`${text}\0${salt}`);
    taken.add(number);
    numbers.set(text, number);
  }
  return texts.map((text) => numbers.get(text) as number);
}

/** Kind of a type. Types of the same kind can read each other's bytes. */
function familyOf(type: FieldType): string {
  switch (type.kind) {
    case "int32":
    case "int64":
    case "uint32":
      return "integer";
    case "list":
    case "map":
      return `${type.kind} ${familyOf(type.item)}`;
    default:
      return type.kind;
  }
}

const encoder = new TextEncoder();
const MAX_NUMBER = 2 ** 29 - 1;
/** Numbers that protobuf itself uses: 19,000 to 19,999. */
const FIRST_USED = 19_000;
const USED_COUNT = 1_000;

/** FNV-1a of 32 bits, in the range of field numbers. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  const number = 1 + (hash >>> 0) % (MAX_NUMBER - USED_COUNT);
  return number < FIRST_USED ? number : number + USED_COUNT;
}
