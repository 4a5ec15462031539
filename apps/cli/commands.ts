/** The commands of the program, in the order of its help. Each is a file of `commands/`, loaded when it is used. */
import type { CliCommand } from "./command.ts";

/** An entry of {@link COMMANDS}. */
export interface CommandEntry {
  /** What it does, for the list of commands: a few words. */
  readonly about: string;
  /** Loads its file. */
  load(): Promise<CliCommand>;
  /** Whether the list of commands leaves it out. */
  readonly isHidden?: boolean;
}

/** All commands by name, in the order of the help. Hidden ones can be run, and are not listed. */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  ["dev", {
    about: "Serve a module, and reload it when a file changes",
    load: () => import("./commands/dev.ts").then(({ devCommand }) => devCommand),
  }],
  ["dev-child", {
    about: "The process of dev that serves",
    isHidden: true,
    load: () => import("./dev/child.ts").then(({ devChildCommand }) => devChildCommand),
  }],
  ["list", {
    about: "List tools, resources and prompts",
    load: () => import("./commands/list.ts").then(({ listCommand }) => listCommand),
  }],
  ["call", {
    about: "Call a tool",
    load: () => import("./commands/call.ts").then(({ callCommand }) => callCommand),
  }],
  ["redeem", {
    about: "Wait for the answer of a promise",
    load: () => import("./commands/redeem.ts").then(({ redeemCommand }) => redeemCommand),
  }],
  ["watch", {
    about: "Print the progress of a promise",
    load: () => import("./commands/watch.ts").then(({ watchCommand }) => watchCommand),
  }],
  ["cancel", {
    about: "Cancel the work of a promise",
    load: () => import("./commands/cancel.ts").then(({ cancelCommand }) => cancelCommand),
  }],
  ["jobs", {
    about: "List, show and change the jobs of a server",
    load: () => import("./commands/jobs.ts").then(({ jobsCommand }) => jobsCommand),
  }],
  ["read", {
    about: "Read a resource",
    load: () => import("./commands/read.ts").then(({ readCommand }) => readCommand),
  }],
  ["prompt", {
    about: "Fill in a prompt",
    load: () => import("./commands/prompt.ts").then(({ promptCommand }) => promptCommand),
  }],
  ["complete", {
    about: "Complete an argument of a prompt or a resource template",
    load: () => import("./commands/complete.ts").then(({ completeCommand }) => completeCommand),
  }],
  ["types", {
    about: "Write the types of a server, for a typed client",
    load: () => import("./commands/types.ts").then(({ typesCommand }) => typesCommand),
  }],
  ["proto", {
    about: "Write the typed gRPC service of a server, as a .proto file",
    load: () => import("./commands/proto.ts").then(({ protoCommand }) => protoCommand),
  }],
  ["diff", {
    about: "Compare two servers: does the second break callers of the first?",
    load: () => import("./commands/diff.ts").then(({ diffCommand }) => diffCommand),
  }],
  ["check", {
    about: "Check the tools of a server: names, schemas, descriptions, sizes",
    load: () => import("./commands/check.ts").then(({ checkCommand }) => checkCommand),
  }],
  ["conformance", {
    about: "Check a server by the rules of MCP-lite and Webtools",
    load: () => import("./commands/conformance.ts").then(({ conformanceCommand }) => conformanceCommand),
  }],
  ["doctor", {
    about: "Examine the way to a server, step by step",
    load: () => import("./commands/doctor.ts").then(({ doctorCommand }) => doctorCommand),
  }],
  ["inspect", {
    about: "Open the console page for any MCP server, through a gateway on this machine",
    load: () => import("./commands/inspect.ts").then(({ inspectCommand }) => inspectCommand),
  }],
  ["record", {
    about: "Write the calls of a server into a file",
    load: () => import("./commands/record.ts").then(({ recordCommand }) => recordCommand),
  }],
  ["replay", {
    about: "Serve a recording, or compare a server with it",
    load: () => import("./commands/replay.ts").then(({ replayCommand }) => replayCommand),
  }],
  ["bench", {
    about: "Measure calls a second and latencies of a tool",
    load: () => import("./commands/bench.ts").then(({ benchCommand }) => benchCommand),
  }],
  ["stdio", {
    about: "Serve a module over standard input and output",
    load: () => import("./commands/stdio.ts").then(({ stdioCommand }) => stdioCommand),
  }],
  ["docs", {
    about: "Serve this documentation over MCP, for agents",
    load: () => import("./commands/docs.ts").then(({ docsCommand }) => docsCommand),
  }],
  ["init", {
    about: "Create a project: Node, Bun, Deno, Workers, Hono or Next.js",
    load: () => import("./commands/init.ts").then(({ initCommand }) => initCommand),
  }],
  ["migrate", {
    about: "Rewrite a server of the official MCP SDK, FastMCP or mcp-lite",
    load: () => import("./commands/migrate.ts").then(({ migrateCommand }) => migrateCommand),
  }],
  ["install", {
    about: "Add a server to Claude, Cursor, VS Code, Codex and other hosts",
    load: () => import("./commands/install.ts").then(({ installCommand }) => installCommand),
  }],
  ["pack", {
    about: "Pack a module as an .mcpb bundle for hosts",
    load: () => import("./commands/pack.ts").then(({ packCommand }) => packCommand),
  }],
  ["publish", {
    about: "Write and check server.json for the registry of MCP servers",
    load: () => import("./commands/publish.ts").then(({ publishCommand }) => publishCommand),
  }],
  ["completions", {
    about: "Print a script that completes words in bash, zsh, fish or PowerShell",
    load: () => import("./commands/completions.ts").then(({ completionsCommand }) => completionsCommand),
  }],
  ["pin", {
    about: "Fetch a webtool's metadata for review, or compare it",
    load: () => import("./commands/pin.ts").then(({ pinCommand }) => pinCommand),
  }],
]);
