/**
 * The snippets of docs/mcp.md for the configuration files and command lines of hosts.
 *
 * @module
 */

/** How a host is to reach a server. */
export type HostEntry =
  | { readonly place: string; readonly command: string; readonly args: readonly string[] }
  | { readonly place: string; readonly url: string };

/** Under which names hosts list their servers. */
const LISTS = ["mcpServers", "servers", "context_servers"];

/** What hosts call the URL. */
const URLS = ["url", "httpUrl", "serverUrl"];

/** The servers of all JSON snippets. @throws {SyntaxError} If a snippet is not JSON. */
export function findHostEntries(markdown: string): HostEntry[] {
  return [...markdown.matchAll(/^```json\n(.*?)^```$/gms)].flatMap(({ 1: json = "", index }) => {
    const file = JSON.parse(json) as Readonly<
      Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>
    >;
    const line = markdown.slice(0, index).split("\n").length;
    return LISTS.flatMap((list) => Object.entries(file[list] ?? {})).map(([name, entry]) =>
      toEntry(`line ${line}, ${name}`, entry)
    );
  });
}

/** The commands of all shell snippets, word by word. */
export function findCommands(markdown: string): string[][] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(({ 1: lines = "" }) =>
    lines.trim().split("\n").map((line) => line.split(" "))
  );
}

/** The commands in the table of runtimes. */
export function findTableCommands(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| [^|]+ \| `((?:npx|bun|deno) [^`]+)`/gm)].map(({ 1: words = "" }) =>
    words.split(" ")
  );
}

function toEntry(place: string, entry: Readonly<Record<string, unknown>>): HostEntry {
  const { command, args } = entry;
  if (typeof command === "string" && Array.isArray(args)) return { place, command, args: args as string[] };
  const url = URLS.map((name) => entry[name]).find((value) => typeof value === "string");
  if (url === undefined) throw new TypeError(`${place} has neither a command with its arguments nor a URL`);
  return { place, url };
}
