/** The banner of a listening server: its name, the URL of each wire, and its tools. */
import { escapeControls } from "../internal/text.ts";
import type { MountedPaths } from "../wires/wire.ts";
import type { Server } from "../server/server.ts";

/** Maximum number of names in a line. */
const MAX_NAMES = 8;

/** Maximum number of paths without a common folder. A client of more, as of Connect, takes the URL of the server. */
const MAX_PATHS = 3;

export function formatBanner(server: Server, url: string, grpcUrl: string | undefined): string {
  const { info, tools, "~server": { host } } = server;
  const rows = host.mounted.map((
    { wire, paths },
  ): [string, string] => [wire, `${url}${host.basePath}${placeOf(paths)}`]);
  if (grpcUrl !== undefined) rows.push(["grpc", grpcUrl]);
  rows.push(["tools", shortList(tools.filter((tool) => tool["@type"] !== "system").map(({ name }) => name))]);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return escapeControls([`${info.name} ${info.version}`.replaceAll("\n", " "), ...lines].join("\n"));
}

/** The path of a wire, or the folder of all of its paths; without such a folder, the paths if they are few. */
function placeOf(paths: MountedPaths["paths"]): string {
  const [first = "", ...others] = paths;
  if (others.length === 0) return first;
  const folders = first.split("/");
  while (folders.length > 1 && !others.every((path) => path.startsWith(`${folders.join("/")}/`))) folders.pop();
  return folders.join("/") || (paths.length > MAX_PATHS ? "" : paths.join(", "));
}

function shortList(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "") || "none";
}
