/** What the table of hosts has for each of them, and how a server is described apart from any host. */

/** A program that the host starts. It serves MCP over standard input and output. */
export interface HostProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables with their values. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables whose values the host asks for, or takes from its environment. */
  readonly secrets?: readonly string[];
  readonly cwd?: string;
}

/** A server that the host reaches by Streamable HTTP. */
export interface HostUrl {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the variable with the bearer token, whose value the host asks for, or takes from its environment. */
  readonly bearerEnv?: string | undefined;
}

/** How a host, such as an editor, reaches a server: a program that it starts, or a URL. */
export type HostServer = HostProgram | HostUrl;

/** Whose configuration: of the user, of the project in the current folder, or of the user for the current folder alone. */
export type HostScope = "user" | "project" | "local";

/** The machine, as far as paths of configuration files depend on it. */
export interface HostSystem {
  readonly platform: string;
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names in a folder; empty if it does not exist. */
  list(folder: string): readonly string[];
}

/** One server's entry in a host's configuration file, as parsed from JSON or TOML. Its members differ between hosts. */
export type HostEntry = Readonly<Record<string, unknown>>;

/** An agent or editor that uses MCP servers: where its configuration is, and how a server is written there. */
export interface Host {
  /** Name on the command line: `cursor`. */
  readonly id: string;
  /** Name for people. */
  readonly title: string;
  readonly format: "jsonc" | "toml" | "yaml";
  /** The member of the file that has the servers by name. */
  readonly member: string;
  /** Configuration file of a scope; `undefined` if the host has none. */
  file(scope: HostScope, system: HostSystem): string | undefined;
  /** Shape of an entry. @throws {TypeError} If the host cannot express the server. */
  toEntry(server: HostServer, name: string): HostEntry;
  /** Members of the file beside the entry, lists to which items are appended: `inputs` of VS Code. */
  toLists?(server: HostServer, name: string): Readonly<Record<string, readonly HostEntry[]>>;
  /** Words of the host's own command that adds a server. */
  toCommand?(server: HostServer, name: string): readonly string[];
  /** A link that opens the host and adds a server. */
  toLink?(server: HostServer, name: string): string;
  /** What the user does after a change of the file. */
  readonly next: string;
}

/** Whether the host starts the server as a program. */
export function isProgram(server: HostServer): server is HostProgram {
  return "command" in server;
}
