/** Plans the change of a host's configuration file: one entry is added, or its members are replaced. */
import { appendItems, ConfigError, parseJsonc, setMember } from "./edit_jsonc.ts";
import { parseToml, setTable } from "./edit_toml.ts";
import { canonical, isRecord, OWNED_MEMBERS } from "./entries.ts";
import type { Host, HostEntry, HostServer } from "./host.ts";

/** A planned change of a host's configuration file: its text before and after. It has not been written. */
export interface ConfigChange {
  /** Whether the entry is new, equal to what is there, or another one under the same name. */
  readonly kind: "new" | "same" | "different";
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the entries of servers in the text of a configuration file, by name; what is not an object is left out.
 *
 * @throws {ConfigError} If the text cannot be parsed.
 */
export function entriesOf(host: Host, text: string): Readonly<Record<string, HostEntry>> {
  return serversIn(parseConfig(host, text), host.member);
}

/** Parses the text of a configuration file: TOML, or JSON with comments. @throws {ConfigError} If the text cannot be parsed. */
export function parseConfig({ format }: Host, text: string): Readonly<Record<string, unknown>> {
  return format === "toml" ? parseToml(text) : parseJsonc(text);
}

/** Returns the entries of servers below a member of a parsed file, by name; what is not an object is left out. */
export function serversIn(config: HostEntry, member: string): Readonly<Record<string, HostEntry>> {
  const servers = Object.hasOwn(config, member) ? config[member] : undefined;
  if (!isRecord(servers)) return {};
  return Object.fromEntries(
    Object.entries(servers).filter((pair): pair is [string, HostEntry] => isRecord(pair[1])),
  );
}

/**
 * Plans a new entry for a server, or the change of the entry of that name. Members that Toolwire does not write are kept.
 *
 * @param text Content of the file; empty if it does not exist.
 * @throws {ConfigError} If the text cannot be parsed, or changed without loss.
 * @throws {TypeError} If the host cannot express the server.
 */
export function planChange(host: Host, text: string, name: string, server: HostServer): ConfigChange {
  const entry = host.toEntry(server, name);
  const current = memberOf(host, text, name);
  if (current === undefined) return { kind: "new", before: text, after: addEntry(host, text, name, server) };
  // What is not an entry is the user's, too.
  if (!isRecord(current)) return { kind: "different", before: text, after: addEntry(host, text, name, server) };
  const changes = changedMembers(current, entry);
  if (Object.keys(changes).length === 0) return { kind: "same", before: text, after: text };
  return { kind: "different", before: text, after: changeEntry(host, text, name, server, changes) };
}

/** What a file has under the name of a server, also if it is not an entry. @throws {ConfigError} If its servers are not an object. */
export function memberOf(host: Host, text: string, name: string): unknown {
  const config = parseConfig(host, text);
  if (!Object.hasOwn(config, host.member)) return undefined;
  const servers: unknown = config[host.member];
  if (isRecord(servers) && !(servers instanceof Date)) return Object.hasOwn(servers, name) ? servers[name] : undefined;
  throw new ConfigError(
    `"${host.member}" is not ${host.format === "toml" ? "a table" : "an object"} but ${kindOf(servers)}`,
  );
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value instanceof Date) return "date";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The members to set; `undefined` for those to remove. Members that Toolwire does not write are left out. */
function changedMembers(current: HostEntry, entry: HostEntry): HostEntry {
  const changed = OWNED_MEMBERS.filter((member) => canonical(current[member]) !== canonical(entry[member]));
  return Object.fromEntries(changed.map((member) => [member, entry[member]]));
}

function addEntry(host: Host, text: string, name: string, server: HostServer): string {
  const entry = host.toEntry(server, name);
  if (host.format === "toml") return setTable(text, [host.member, name], entry);
  return addLists(host, setMember(text, [host.member, name], entry), name, server);
}

function changeEntry(host: Host, text: string, name: string, server: HostServer, changes: HostEntry): string {
  if (host.format === "toml") return setTable(text, [host.member, name], changes);
  const changed = Object.entries(changes).reduce(
    (result, [member, value]) => setMember(result, [host.member, name, member], value),
    text,
  );
  return addLists(host, changed, name, server);
}

/** Appends the items that the lists do not have, by their id. */
function addLists(host: Host, text: string, name: string, server: HostServer): string {
  const lists = Object.entries(host.toLists?.(server, name) ?? {});
  return lists.reduce((result, [member, items]) => {
    const current = parseJsonc(result)[member];
    const ids = (Array.isArray(current) ? current : []).map((item) => isRecord(item) ? item["id"] : undefined);
    return appendItems(result, member, items.filter(({ id }) => !ids.includes(id)));
  }, text);
}

/** Returns a configuration file with one server's entry, and the list items that belong to it, for the user to paste. */
export function snippetOf(host: Host, name: string, server: HostServer): string {
  if (host.format === "toml") return setTable("", [host.member, name], host.toEntry(server, name));
  const lists = host.toLists?.(server, name) ?? {};
  return `${JSON.stringify({ ...lists, [host.member]: { [name]: host.toEntry(server, name) } }, undefined, 2)}\n`;
}
