/** Shows the change of an entry. Lines of the file are not printed: they may have secrets of other entries. */
import { type ConfigChange, entriesOf, memberOf, parseConfig } from "./change_config.ts";
import { diffLines } from "./diff_lines.ts";
import { setTable } from "./edit_toml.ts";
import { isRecord, OWNED_MEMBERS } from "./entries.ts";
import { hideSecrets } from "./hide_secrets.ts";
import type { Host, HostEntry, HostServer } from "./host.ts";

/** Lines that show a change to the user: items added to lists of the file, then the changed lines of the entry, with secrets hidden. */
export function showChange(
  host: Host,
  name: string,
  server: HostServer,
  { before, after }: Pick<ConfigChange, "before" | "after">,
): readonly string[] {
  const [old, now] = [before, after].map((text) =>
    ownMembers(new Map(Object.entries(entriesOf(host, text))).get(name))
  );
  const lines = (entry: HostEntry | undefined) => entryLines(host, name, entry).join("\n");
  const hidden = (entry: HostEntry | undefined) => lines(entry && hideSecrets(entry));
  return [
    ...addedItems(host, name, server, before),
    ...replacedValue(memberOf(host, before, name), name),
    ...diffLines(lines(old), lines(now), { before: hidden(old), after: hidden(now) }),
  ];
}

/** A value in the place of the entry is named only: a text may be a secret. */
function replacedValue(value: unknown, name: string): readonly string[] {
  return value === undefined || isRecord(value) ? [] : [`-   ${JSON.stringify(name)}: … (not an entry)`];
}

/** Members of the user are neither changed nor shown. Values that JSON does not have, such as dates of TOML, become text. */
function ownMembers(entry: HostEntry | undefined): HostEntry | undefined {
  if (entry === undefined) return undefined;
  const own = Object.entries(entry).filter(([member]) => OWNED_MEMBERS.includes(member));
  const text = JSON.stringify(Object.fromEntries(own), (_, value: unknown) => {
    return typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value;
  });
  return JSON.parse(text) as HostEntry;
}

/** Lines of an entry, in the format of the host's file. */
function entryLines(host: Host, name: string, entry: HostEntry | undefined): readonly string[] {
  if (entry === undefined) return [];
  if (host.format === "toml") return setTable("", [host.member, name], entry).trimEnd().split("\n");
  return jsonLines({ [name]: entry });
}

/** Members of an object as JSON, as deep as in a file. */
function jsonLines(members: HostEntry): readonly string[] {
  return JSON.stringify(members, undefined, 2).split("\n").slice(1, -1).map((line) => `  ${line}`);
}

function addedItems(host: Host, name: string, server: HostServer, before: string): readonly string[] {
  const config = parseConfig(host, before);
  return Object.entries(host.toLists?.(server, name) ?? {}).flatMap(([member, items]) => {
    const list = config[member];
    const known = (Array.isArray(list) ? list : []).map((item) => isRecord(item) ? item["id"] : undefined);
    const added = items.filter(({ id }) => !known.includes(id));
    return added.length === 0 ? [] : jsonLines({ [member]: added }).map((line) => `+ ${line.slice(2)}`);
  });
}
