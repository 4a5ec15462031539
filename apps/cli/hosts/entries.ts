/** Shapes of entries that several hosts share. */
import { type HostEntry, type HostProgram, type HostServer, type HostUrl, isProgram } from "./host.ts";

/** Returns what a host's file has in place of a variable's secret value: a reference such as `${env:KEY}`. */
export type Placeholder = (variable: string) => string;

/** Returns the reference to an environment variable in the files of Cursor and Windsurf. */
export const envReference: Placeholder = (variable) => `\${env:${variable}}`;
/** Returns the reference to an environment variable in the files of Claude Code and Gemini CLI. */
export const shellReference: Placeholder = (variable) => `\${${variable}}`;

/** Creates `Host.toEntry()`: `{ command, args, env, cwd }`, or the URL and headers. The function throws a TypeError if that is impossible. */
export function entryShape(
  title: string,
  options: {
    /** The entry for a URL. Without it the host starts programs only. */
    readonly url?: (url: string) => HostEntry;
    /** Members before the command. */
    readonly program?: HostEntry;
    /** How the host refers to a variable. Without it the host cannot. */
    readonly placeholder?: Placeholder;
    readonly hasCwd?: boolean;
  },
): (server: HostServer) => HostEntry {
  return (server) => {
    if (isProgram(server)) {
      return { ...options.program, ...programEntry(title, server, options) };
    }
    if (options.url === undefined) {
      throw new TypeError(
        `Cannot add ${server.url} to ${title}: its file lists programs only. Add the URL as a connector, in its settings`,
      );
    }
    const headers = headersOf(title, server, options.placeholder);
    return { ...options.url(server.url), ...(hasMembers(headers) ? { headers } : {}) };
  };
}

/** Headers of an entry, with a reference to the variable of the bearer token. @throws {TypeError} If the host has no references. */
function headersOf(title: string, { headers, bearerEnv }: HostUrl, placeholder: Placeholder | undefined) {
  if (bearerEnv === undefined) return headers;
  if (placeholder === undefined) throw noReference(title, bearerEnv, "write the token itself with --token");
  return { ...headers, authorization: `Bearer ${placeholder(bearerEnv)}` };
}

/** Creates the error of a host whose file has values only. */
export function noReference(title: string, variables: string, remedy: string): TypeError {
  return new TypeError(`Cannot refer to ${variables} in ${title}: its file has values only; ${remedy}`);
}

function programEntry(
  title: string,
  { command, args, env, secrets = [], cwd }: HostProgram,
  { placeholder, hasCwd = false }: { readonly placeholder?: Placeholder; readonly hasCwd?: boolean },
): HostEntry {
  if (secrets.length > 0 && placeholder === undefined) {
    throw noReference(title, secrets.join(", "), `give one: --env ${secrets[0]}=…`);
  }
  const all = { ...env, ...Object.fromEntries(secrets.map((name) => [name, placeholder?.(name) ?? ""])) };
  return {
    command,
    args: [...args],
    ...(hasMembers(all) ? { env: all } : {}),
    ...(hasCwd && cwd !== undefined ? { cwd } : {}),
  };
}

function hasMembers(record: Readonly<Record<string, string>> | undefined): boolean {
  return record !== undefined && Object.keys(record).length > 0;
}

/** Members of a server's entry that Toolwire writes and replaces. All others belong to the user and are kept. */
export const OWNED_MEMBERS: readonly string[] = [
  "type",
  "source",
  "command",
  "args",
  "env",
  "env_vars",
  "cwd",
  "url",
  "httpUrl",
  "serverUrl",
  "headers",
  "http_headers",
  "bearer_token_env_var",
];

/**
 * Decodes an entry of any host. `undefined` if it has neither a command nor a URL.
 *
 * @param env Variables whose values replace `${KEY}` and the like, if set. Default: references stay.
 */
export function fromEntry(
  entry: HostEntry,
  env?: Readonly<Record<string, string | undefined>>,
): HostServer | undefined {
  const expand = (text: string) => env === undefined ? text : expandVariables(text, env);
  // Older versions of Zed nest the program.
  const program = isRecord(entry["command"]) ? { ...entry["command"], command: entry["command"]["path"] } : entry;
  if (typeof program["command"] === "string") {
    const { cwd, args = [] } = program;
    return {
      command: expand(program["command"]),
      args: (Array.isArray(args) ? args : []).map((arg) => expand(String(arg))),
      env: { ...texts(program["env"], expand), ...forwarded(entry["env_vars"], env) },
      ...(typeof cwd === "string" ? { cwd: expand(cwd) } : {}),
    };
  }
  const url = ["url", "httpUrl", "serverUrl"].map((name) => entry[name]).find((value) => typeof value === "string");
  if (url === undefined) return undefined;
  const variable = entry["bearer_token_env_var"];
  const token = variable === undefined
    ? undefined
    : env === undefined
    ? `\${${String(variable)}}`
    : env[String(variable)];
  const headers = { ...texts(entry["headers"], expand), ...texts(entry["http_headers"], expand) };
  return {
    url: expand(url),
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
  };
}

/** `${env:KEY}`, `${KEY}`, `${KEY:-default}`. Unknown variables are left as they are. */
function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (all, name: string, fallback?: string) => env[name] ?? fallback ?? all,
  );
}

function texts(value: unknown, expand: (text: string) => string): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, expand(String(text))]));
}

/** Codex names the variables that it passes on. */
function forwarded(names: unknown, env?: Readonly<Record<string, string | undefined>>): Record<string, string> {
  if (!Array.isArray(names)) return {};
  return Object.fromEntries(names.flatMap((name) => {
    const value = env === undefined ? `\${${String(name)}}` : env[String(name)];
    return value === undefined ? [] : [[String(name), value]];
  }));
}

/** Whether a value is an object, also an empty one: neither `null` nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with sorted members, to compare values: equal for equal ones. A bigint becomes a string, and `undefined` an empty text. */
export function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner: unknown) =>
      isRecord(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
        : typeof inner === "bigint"
        ? String(inner)
        : inner,
  ) ?? "";
}
