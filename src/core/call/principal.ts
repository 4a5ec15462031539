/** Validation of what programs give as the caller of a request. */
import { isJsonObject, type JsonObject } from "../../internal/json.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import type { Principal } from "./call.ts";

/**
 * Returns the caller that a program gives, with claims that are JSON: those of handlers are then the same on every wire, and in deferred
 * work. A principal whose claims are JSON is returned as it is.
 *
 * Validated at run time: an empty id would be an anonymous caller, and a string of scopes would be read by character.
 *
 * @param onUnread Receives the names of members that a server does not read, such as a misspelt `scope`. Default: they are an error.
 * @throws {TypeError} If `value` is not a principal.
 */
export function toPrincipal(value: unknown, onUnread: (problem: string) => void = refuse): Principal {
  if (isJsonObject(value)) {
    const { id, tenant, scopes = [], claims } = value;
    const isScopes = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
    const isTenant = tenant === undefined || (typeof tenant === "string" && tenant !== "");
    if (typeof id === "string" && id !== "" && isTenant && isScopes) {
      for (const name in value) if (!MEMBERS.includes(name)) onUnread(unreadMember(name));
      if (claims === undefined || (isJsonObject(claims) && isJson(claims, 0))) return value as object as Principal;
      return { ...value, id, claims: jsonOf(claims) };
    }
  }
  throw new TypeError(
    `Cannot identify the caller: give a principal { id, tenant?, scopes?, claims? } with a non-empty id and an array of scopes, or undefined for a caller that is not known${
      adviceFor(value)
    }`,
  );
}

/** What to write in place of usual mistakes; without their values, which are of a caller. */
function adviceFor(value: unknown): string {
  const { id, tenant, scopes } = isJsonObject(value) ? value : {};
  if (typeof id === "number" || typeof id === "bigint") return "; the id is a number: write id: String(user.id)";
  if (tenant !== undefined && (typeof tenant !== "string" || tenant === "")) {
    return "; the tenant is not a text with characters: leave it out for a caller without one";
  }
  return typeof scopes === "string" ? '; the scopes are one text: write scopes.split(" ")' : "";
}

const MEMBERS: readonly string[] = ["id", "tenant", "scopes", "claims"];

function refuse(problem: string): never {
  throw new TypeError(`Cannot identify the caller: ${problem}`);
}

function unreadMember(name: string): string {
  const near = closestMatch(name, MEMBERS);
  const write = near === undefined ? `write claims: { ${name} }, which handlers get` : `did you mean "${near}"?`;
  const isTenant = near === undefined && /tenant|^org/i.test(name);
  return `a principal has no member "${name}"; ${write}${
    isTenant ? `, or tenant: ${name}, to which jobs and limits are bound as well` : ""
  }`;
}

/** The log of a server. */
interface Log {
  log(level: "warn", message: string, data: Readonly<Record<string, unknown>>): void;
}

/** Problems that were logged, by server. */
const LOGGED = new WeakMap<Log, Set<string>>();
/** Maximum number of such problems of a server: the names may be those of a table. */
const MAX_LOGGED = 20;

/**
 * Validates the caller that a function gives for a request, such as the user of a session with all its columns. Members that a server does not
 * read are logged once.
 *
 * @throws {TypeError} If `value` is not a principal.
 */
export function toRequestPrincipal(value: unknown, server: Log): Principal {
  return toPrincipal(value, (problem) => {
    const logged = LOGGED.get(server) ?? new Set();
    LOGGED.set(server, logged);
    if (logged.has(problem) || logged.size === MAX_LOGGED) return;
    logged.add(problem);
    server.log("warn", `Part of a caller is ignored: ${problem}`, { during: "auth" });
  });
}

/** Nesting of claims above which they are copied by `JSON`, which refuses what refers to itself. */
const MAX_DEPTH = 16;

/** Whether a value is what its JSON text would be read as. */
function isJson(value: unknown, depth: number): boolean {
  if (typeof value !== "object") {
    return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" || typeof value === "boolean";
  }
  if (value === null) return true;
  if (depth === MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return false;
  return Object.values(value).every((member) => member === undefined || isJson(member, depth + 1));
}

/** @throws {TypeError} If the JSON of the claims is not an object. */
function jsonOf(claims: unknown): JsonObject {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(claims));
  } catch (cause) {
    throw new TypeError("Cannot identify the caller: the claims of the principal cannot be written as JSON", { cause });
  }
  if (isJsonObject(copy)) return copy as JsonObject;
  throw new TypeError(
    "Cannot identify the caller: the claims of the principal are not an object; leave them out if there are none",
  );
}
