/** Targets that are names in the configuration of hosts: `cursor:weather`, `weather`. */
import { closestMatch } from "../../../src/internal/closest_match.ts";
import { escapeControls } from "../../../src/internal/text.ts";
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { canonical } from "../hosts/entries.ts";
import { isProgram } from "../hosts/host.ts";
import { type ConfiguredServer, readHostServers, systemOf, type UnreadableConfig } from "../hosts/read_servers.ts";
import type { TargetFlags } from "./flags.ts";
import type { Target } from "./target.ts";
import { assertTrusted } from "./trust_project.ts";

/** Order in which a host prefers its files. */
const PRECEDENCE: readonly string[] = ["local", "project", "user"];

/**
 * Finds a server in the hosts' configuration, and returns it as a target with the flags that reach it. Of one host, the scope `local`
 * precedes `project`, and that `user`. The user is asked about a project's file before a variable is filled in.
 *
 * @throws {CliError} If no host has a server of that name, several hosts have different ones, or the project's file is not trusted.
 */
export async function resolveConfigured(
  { host, name }: Extract<Target, { kind: "configured" }>,
  flags: TargetFlags,
  context: CliContext,
): Promise<{ readonly target: Target; readonly flags: TargetFlags }> {
  const { servers, unreadable } = readHostServers(systemOf(context.host));
  const found = preferred(servers.filter((server) => server.name === name && (host ?? server.host) === server.host));
  const [first, ...others] = found;
  if (first === undefined) throw notFound(host, name, servers, unreadable);
  if (others.some(({ server }) => canonical(server) !== canonical(first.server))) {
    throw new CliError(EXIT.usage, `Several hosts have a server ${JSON.stringify(name)}`, {
      hint: `Name the host: ${found.map((one) => `${one.host}:${name}`).join(", ")}`,
    });
  }
  // Equal entries need no trust, if one of them is the user's own.
  const chosen = found.find(({ scope }) => scope !== "project") ?? first;
  await assertTrusted(chosen, flags.trustProject === true, context);
  return toTarget(chosen, flags);
}

/** For each host the server whose configuration takes precedence: a host may be configured in several scopes. */
function preferred(servers: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  const sorted = [...servers].sort((one, other) => PRECEDENCE.indexOf(one.scope) - PRECEDENCE.indexOf(other.scope));
  return sorted.filter(({ host }, at) => sorted.findIndex((other) => other.host === host) === at);
}

function notFound(
  host: string | undefined,
  name: string,
  servers: readonly ConfiguredServer[],
  unreadable: readonly UnreadableConfig[],
): CliError {
  const written = host === undefined ? name : `${host}:${name}`;
  const known = servers.map((server) => `${server.host}:${server.name}`);
  const similar = closestMatch(written, known) ?? closestMatch(name, servers.map((server) => server.name));
  const broken = unreadable.map(({ file, reason }) => `Cannot read ${file}: ${reason}`);
  const listed = known.length === 0 ? "No host has servers" : `Hosts have ${known.join(", ")}`;
  const question = similar === undefined ? "" : `: did you mean "${similar}"?`;
  return new CliError(
    EXIT.usage,
    `There is no file and no server ${JSON.stringify(written)}${escapeControls(question)}`,
    {
      hint: escapeControls([listed, ...broken].join("\n")),
    },
  );
}

function toTarget(
  { name, file, filledIn }: ConfiguredServer,
  flags: TargetFlags,
): { readonly target: Target; readonly flags: TargetFlags } {
  const server = filledIn();
  if (!isProgram(server)) {
    if (!URL.canParse(server.url)) {
      throw new CliError(EXIT.usage, `The server ${JSON.stringify(name)} of ${file} has no valid URL`);
    }
    const header = Object.entries(server.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    return {
      target: { kind: "url", url: new URL(server.url) },
      flags: { ...flags, header: [...header, ...flags.header ?? []] },
    };
  }
  const env = Object.entries(server.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const { command, args, cwd = flags.cwd } = server;
  return {
    target: { kind: "program", command, args },
    flags: { ...flags, env: [...env, ...flags.env ?? []], ...(cwd !== undefined && { cwd }) },
  };
}
