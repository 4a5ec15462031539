/** Finds servers in the configuration files of hosts. */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import process from "node:process";
import { parseConfig, serversIn } from "./change_config.ts";
import { readConfig } from "./config_file.ts";
import { fromEntry, isRecord } from "./entries.ts";
import type { Host, HostEntry, HostScope, HostServer, HostSystem } from "./host.ts";
import { HOSTS } from "./table.ts";

/** A server that was found in the configuration file of a host. */
export interface ConfiguredServer {
  /** Id of the host: `cursor`. */
  readonly host: string;
  /** Name of the server in the file. */
  readonly name: string;
  readonly scope: HostScope;
  readonly file: string;
  /** How it is reached, as the file has it: no variable of the environment is filled in. */
  readonly server: HostServer;
  /** How it is reached, with variables of the environment filled in. */
  filledIn(): HostServer;
  /** Content of the file. */
  readonly text: string;
}

/** A host's configuration file that cannot be read or parsed, with the error's message. */
export interface UnreadableConfig {
  readonly host: string;
  readonly file: string;
  readonly reason: string;
}

/** The system of this process, with the environment and the working directory of a command. The home folder is `HOME` there, if set. */
export function systemOf(place: Pick<HostSystem, "cwd" | "env">): HostSystem {
  const { cwd, env } = place;
  return {
    platform: process.platform,
    home: env["HOME"] || env["USERPROFILE"] || homedir(),
    cwd,
    env,
    list: (folder) => {
      try {
        return readdirSync(folder);
      } catch {
        return [];
      }
    },
  };
}

/** Reads the servers from the files of all hosts and scopes; unreadable files are listed apart. Goose's file, YAML, is not read. */
export function readHostServers(system: HostSystem): {
  readonly servers: readonly ConfiguredServer[];
  readonly unreadable: readonly UnreadableConfig[];
} {
  const servers: ConfiguredServer[] = [];
  const unreadable = new Map<string, UnreadableConfig>();
  for (const { host, scope, file } of filesOf(system)) {
    try {
      const text = readConfig(file) ?? "";
      const entries = Object.entries(entriesIn(host, scope, text, system));
      servers.push(
        ...entries.flatMap(([name, entry]) => toServer({ host: host.id, name, scope, file, text }, entry, system)),
      );
    } catch (thrown) {
      unreadable.set(file, { host: host.id, file, reason: (thrown as Error).message });
    }
  }
  return { servers, unreadable: [...unreadable.values()] };
}

/** In the home folder itself, the file of the project is the one of the user. */
function filesOf(system: HostSystem) {
  return HOSTS.filter(({ format }) => format !== "yaml").flatMap((host) =>
    (["user", "project", "local"] as const).flatMap((scope) => {
      const file = host.file(scope, system);
      const isSame = scope === "project" && file === host.file("user", system);
      return file === undefined || isSame ? [] : [{ host, scope, file }];
    })
  );
}

function toServer(
  place: Omit<ConfiguredServer, "server" | "filledIn">,
  entry: HostEntry,
  { env }: HostSystem,
): ConfiguredServer[] {
  const server = fromEntry(entry);
  return server === undefined ? [] : [{ ...place, server, filledIn: () => fromEntry(entry, env) ?? server }];
}

/** Claude Code keeps the servers of scope `local` by folder, in the file of the user. */
function entriesIn(host: Host, scope: HostScope, text: string, { cwd }: HostSystem): Record<string, HostEntry> {
  const config = parseConfig(host, text);
  if (scope !== "local") return serversIn(config, host.member);
  const projects = isRecord(config["projects"]) ? config["projects"] : {};
  const project = projects[cwd];
  return isRecord(project) ? serversIn(project, host.member) : {};
}
