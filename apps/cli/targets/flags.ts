/** Flags that say how a target is reached. Commands with a target include {@link TARGET_FLAGS} in their own flags. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { FlagParametersForType } from "@stricli/core";
import type { Principal } from "../../../src/core/call/call.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import type { WebtoolMetadata } from "../../../src/wires/webtools/messages/metadata.ts";
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";

/** Flags for the caller of a module's tools: `--principal` and `--scopes`. */
export interface ModuleFlags {
  readonly principal?: string;
  readonly scopes?: readonly string[];
}

/** Values of `--wire`: the protocols by which a server at a URL can be reached. */
const WIRE_NAMES = ["mcp", "mcp-lite", "rest", "webtools", "connect", "grpc-web", "grpc", "websocket"] as const;

/** A value of `--wire`: one of {@link WIRE_NAMES}. */
export type WireName = typeof WIRE_NAMES[number];

/** Flags of a target that is reached over HTTP: headers, and the bearer token or the name of its variable. */
export interface HttpFlags {
  readonly header?: readonly string[];
  readonly token?: string;
  readonly bearerEnv?: string;
}

/** Flags of commands with a target. Some apply to one kind of target alone, such as `cwd` and `env` to programs. */
export interface TargetFlags extends ModuleFlags, HttpFlags {
  readonly oauth?: boolean;
  readonly noBrowser?: boolean;
  readonly timeout?: number;
  readonly wire?: WireName;
  readonly era?: "auto" | "modern" | "legacy";
  readonly pin?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly trustProject?: boolean;
}

/** Flags of {@link ModuleFlags}, for the parser. */
export const MODULE_FLAGS: FlagParametersForType<ModuleFlags, CliContext> = {
  principal: {
    kind: "parsed",
    parse: nonEmpty,
    optional: true,
    placeholder: "id",
    brief: "Caller of a module's tools",
  },
  scopes: {
    kind: "parsed",
    parse: String,
    optional: true,
    variadic: ",",
    placeholder: "scope,scope",
    brief: "Scopes of that caller. Default: none with --principal, otherwise all",
  },
};

/** Flags of {@link HttpFlags}, for the parser. */
export const HTTP_FLAGS: FlagParametersForType<HttpFlags, CliContext> = {
  header: {
    kind: "parsed",
    parse: parseHeader,
    optional: true,
    variadic: true,
    placeholder: "name:value",
    brief: "Header of each request, as -H too; may be repeated",
  },
  token: {
    kind: "parsed",
    parse: nonEmpty,
    optional: true,
    placeholder: "token",
    brief: "Bearer token. Other users of this machine can see it: prefer --bearer-env",
  },
  bearerEnv: {
    kind: "parsed",
    parse: nonEmpty,
    optional: true,
    placeholder: "NAME",
    brief: "Environment variable that contains the bearer token",
  },
};

/** Flags of {@link TargetFlags}, for the parser. */
export const TARGET_FLAGS: FlagParametersForType<TargetFlags, CliContext> = {
  ...HTTP_FLAGS,
  oauth: {
    kind: "boolean",
    optional: true,
    brief: "Sign in by OAuth in the browser; tokens are kept",
    withNegated: false,
  },
  noBrowser: {
    kind: "boolean",
    optional: true,
    brief: "Print the address of the sign-in page, and open no browser",
    withNegated: false,
  },
  timeout: {
    kind: "parsed",
    parse: parseDuration,
    optional: true,
    placeholder: "30s",
    brief: "Time limit of each request: 500ms, 30s, 5m",
  },
  wire: {
    kind: "enum",
    values: WIRE_NAMES,
    optional: true,
    brief: "Protocol at the URL. Default: the program finds out",
  },
  era: { kind: "enum", values: ["auto", "modern", "legacy"], optional: true, brief: "Era of MCP" },
  pin: {
    kind: "parsed",
    parse: nonEmpty,
    optional: true,
    placeholder: "file",
    brief: "Reviewed list of tools, or metadata",
  },
  cwd: {
    kind: "parsed",
    parse: nonEmpty,
    optional: true,
    placeholder: "folder",
    brief: "Folder in which a program starts",
  },
  env: {
    kind: "parsed",
    parse: parseVariable,
    optional: true,
    variadic: true,
    placeholder: "NAME=value",
    brief: "Environment variable of a program; may be repeated",
  },
  trustProject: {
    kind: "boolean",
    optional: true,
    brief: "Use a server of a project's configuration file without a question",
    withNegated: false,
  },
  ...MODULE_FLAGS,
};

/** Time limit of requests without `--timeout`, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 30_000;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration above zero: `500ms`, `30s`, `5m`, `1h`. A number without a unit is in seconds.
 *
 * @returns Milliseconds.
 */
export function parseDuration(text: string): number {
  const [, amount = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const durationMs = Number(amount) * (UNITS[unit] ?? NaN);
  if (amount !== "" && durationMs > 0) return durationMs;
  throw new TypeError(`${JSON.stringify(text)} is not a duration such as 500ms, 30s or 5m`);
}

function nonEmpty(text: string): string {
  if (text === "") throw new TypeError("it is empty");
  return text;
}

function parseHeader(text: string): string {
  if (/^[!#$%&'*+.^`|~\w-]+:/.test(text)) return text;
  throw new TypeError(`a header is written "name: value"; this one has no name and colon`);
}

function parseVariable(text: string): string {
  if (/^[^=]+=/s.test(text)) return text;
  throw new TypeError(`a variable is written NAME=value`);
}

/** Principal of `--principal` and `--scopes`; without `--scopes` it has no scopes. `undefined` without both flags: all scopes. */
export function principalOf({ principal, scopes }: ModuleFlags): Principal | undefined {
  if (principal === undefined && scopes === undefined) return undefined;
  return { id: principal ?? "local", scopes: (scopes ?? []).map((scope) => scope.trim()).filter(Boolean) };
}

/** Headers of `--header`, with names in lower case, and of `--token` or `--bearer-env`. @throws {CliError} If a value is invalid or unset. */
export function headersOf(
  { header = [], token, bearerEnv }: HttpFlags,
  env: CliContext["host"]["env"],
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const text of header) {
    const at = text.indexOf(":");
    const name = text.slice(0, at);
    headers[name.toLowerCase()] = headerValue(text.slice(at + 1), `the header ${name}`);
  }
  const bearer = token ?? (bearerEnv === undefined ? undefined : variableOf(bearerEnv, env));
  if (bearer === undefined) return headers;
  const place = token === undefined ? `the environment variable ${bearerEnv}` : "--token";
  return { ...headers, authorization: `Bearer ${headerValue(bearer, place)}` };
}

/** Trims a value. The error does not contain it: it may be a secret. */
function headerValue(text: string, place: string): string {
  const value = text.trim();
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new CliError(
    EXIT.usage,
    `The value of ${place} has a line break or another character that a header cannot have`,
  );
}

function variableOf(name: string, env: CliContext["host"]["env"]): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw new CliError(EXIT.usage, `The environment variable ${name} of --bearer-env is not set`);
}

/** Values of `--env NAME=value` by name, for a program that is started. */
export function programEnvOf({ env = [] }: TargetFlags): Readonly<Record<string, string>> {
  return Object.fromEntries(env.map((text) => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)];
  }));
}

/** Values of flags that may be secret and are hidden in output: headers, also without `Bearer` or `Basic`, and variables of a program. */
export function credentialsOf(flags: TargetFlags, env: CliContext["host"]["env"]): string[] {
  const values = [...Object.values(headersOf(flags, env)), ...Object.values(programEnvOf(flags))];
  return values.flatMap((value) => [value, value.replace(/^(?:Bearer|Basic)\s+/i, "")]);
}

/** Reads a file of JSON. `option` names the flag or argument in errors. @throws {CliError} If it cannot be read or is not JSON. */
export function readJsonFile(file: string, cwd: string, option: string): unknown {
  try {
    return JSON.parse(readTextFile(file, cwd, option));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(EXIT.usage, `The file ${file} of ${option} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Text of a file, without a byte order mark. `option` names the flag or argument in errors. @throws {CliError} If it cannot be read. */
export function readTextFile(file: string, cwd: string, option: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8").replace(/^\uFEFF/, "");
  } catch (cause) {
    throw new CliError(EXIT.usage, `Cannot read the file ${resolve(cwd, file)} of ${option}`, { cause });
  }
}

/** Returns the tools of the JSON of `--pin`: an array, or `{ "tools": […] }` of `toolwire list --json`. @throws {CliError} Otherwise. */
export function pinnedTools(pin: unknown): readonly ListedTool[] {
  const tools = isJsonObject(pin) ? pin["tools"] : pin;
  const isList = Array.isArray(tools) && tools.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string");
  if (isList) return tools as readonly ListedTool[];
  throw new CliError(EXIT.usage, "The file of --pin has no list of tools", {
    hint: "Make it with: toolwire list <target> --json",
  });
}

/** Returns the JSON of `--pin` as the metadata of a webtool; `undefined` without a list of `actions`, as in a list of tools. */
export function pinnedWebtool(pin: unknown): WebtoolMetadata | undefined {
  return isJsonObject(pin) && Array.isArray(pin["actions"]) ? pin as unknown as WebtoolMetadata : undefined;
}
