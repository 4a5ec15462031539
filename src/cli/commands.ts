/** The commands of the program, in the order of its help. Each is a file of `commands/`, loaded when it is used. */
import type { CliCommand } from "./command.ts";

/** A command in the table. */
export interface CommandEntry {
  /** What it does, for the list of commands: a few words. */
  readonly about: string;
  /** Loads its file. */
  load(): Promise<CliCommand>;
  /** Whether the list of commands leaves it out. */
  readonly isHidden?: boolean;
}

/** Commands by name. */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  ["list", {
    about: "List tools, resources and prompts",
    load: () => import("./commands/list.ts").then(({ listCommand }) => listCommand),
  }],
  ["types", {
    about: "Write the types of a server, for a typed client",
    load: () => import("./commands/types.ts").then(({ typesCommand }) => typesCommand),
  }],
  ["diff", {
    about: "Compare two servers: does the second break callers of the first?",
    load: () => import("./commands/diff.ts").then(({ diffCommand }) => diffCommand),
  }],
  ["stdio", {
    about: "Serve a module over standard input and output",
    load: () => import("./commands/stdio.ts").then(({ stdioCommand }) => stdioCommand),
  }],
  ["install", {
    about: "Add a server to Claude, Cursor, VS Code, Codex and other hosts",
    load: () => import("./commands/install.ts").then(({ installCommand }) => installCommand),
  }],
  ["pin", {
    about: "Fetch a webtool's metadata for review, or compare it",
    load: () => import("./commands/pin.ts").then(({ pinCommand }) => pinCommand),
  }],
]);
