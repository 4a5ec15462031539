/** `toolwire list <target>`: the tools, resources and prompts of a server, as signatures or JSON. */
import { signatureOf } from "../../../src/core/json_schema/signature.ts";
import type { Members } from "../../../src/internal/json.ts";
import { isSystemTool, type ListedTool } from "../../../src/core/call/transport.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { type Contents, readContents } from "../targets/contents.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { openTarget } from "../targets/open.ts";
import { takeTarget, TARGET_FORMS } from "../targets/target.ts";
import { printable, printableLine, type Terminal } from "../terminal/terminal.ts";
import { cutToWidth } from "../terminal/width.ts";

interface ListFlags extends TargetFlags {
  readonly json?: boolean;
  readonly schema?: boolean;
  readonly full?: boolean;
  readonly tools?: boolean;
  readonly resources?: boolean;
  readonly prompts?: boolean;
}

export const listCommand: CliCommand = defineCommand<ListFlags>({
  usage: "[target] [--tools] [--resources] [--prompts] [--schema] [--full] [--json]",
  about:
    "Lists what a server offers: tools as signatures in the notation of TypeScript, resources and prompts. The system tools redeem " +
    "and cancel are listed with --json alone. Without a target, lists the servers in the configuration of hosts.",
  examples: [
    ["toolwire list ./server.ts", "The tools of a module"],
    ["toolwire list https://example.com/mcp --json", "Everything, as one JSON object"],
    ["toolwire list", "The servers that hosts on this machine have, as targets"],
    ["toolwire list -- npx -y @modelcontextprotocol/server-everything", "A program that serves MCP over its pipes"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      tools: { kind: "boolean", optional: true, brief: "Tools alone" },
      resources: { kind: "boolean", optional: true, brief: "Resources and their templates alone" },
      prompts: { kind: "boolean", optional: true, brief: "Prompts alone" },
      schema: { kind: "boolean", optional: true, brief: "JSON Schemas of the tools in place of signatures" },
      full: { kind: "boolean", optional: true, brief: "Whole descriptions in place of their first line" },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" }, maximum: 1 },
  },
  async run(context, flags, ...words) {
    if (words.length === 0 && context.program === undefined) return await listConfigured(flags, context);
    const { target } = takeTarget(words, context);
    const connection = await openTarget(target, flags, context, { signal: context.interruption() });
    try {
      const contents = await readContents(connection, wantedOf(flags), flags, context.interruption());
      if (flags.json === true) context.terminal.printJson({ wire: connection.wire, ...contents });
      else printContents(contents, flags, context);
    } finally {
      await connection.close();
    }
  },
});

const COMMENT = "// ";

/** Lists the servers of hosts. Arguments, variables and queries are left out: they may be secrets. */
async function listConfigured({ json }: ListFlags, { host, terminal }: CliContext): Promise<void> {
  const { readHostServers, systemOf } = await import("../hosts/read_servers.ts");
  const { servers, unreadable } = readHostServers(systemOf(host));
  const listed = servers.map(({ host, name, scope, file, server }) => {
    const reached = "command" in server ? server.command : withoutQuery(server.url);
    return { target: `${host}:${name}`, scope, file, reached };
  });
  for (const { file, reason } of unreadable) {
    terminal.note(`Cannot read ${printableLine(file)}: ${printableLine(reason)}`);
  }
  if (json === true) return terminal.printJson({ servers: listed });
  for (const { target, reached } of listed) {
    terminal.print(`${terminal.style("bold", printableLine(target))}  ${printableLine(reached)}`);
  }
  if (listed.length === 0) terminal.note(`No host has servers. A target is ${TARGET_FORMS}`);
}

/** A URL without user, query and fragment. It is not parsed: references to variables stay readable. */
function withoutQuery(url: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*:\/\/)?([^?#]*)/is.exec(url) ?? [];
  return scheme + rest.slice(rest.slice(0, (rest.indexOf("/") + 1 || rest.length + 1) - 1).lastIndexOf("@") + 1);
}

/** Which lists are printed: those that are named, else all. */
function wantedOf({ tools, resources, prompts }: ListFlags): readonly (keyof Contents)[] {
  if (tools !== true && resources !== true && prompts !== true) {
    return ["tools", "resources", "resourceTemplates", "prompts"];
  }
  return [
    ...(tools === true ? ["tools" as const] : []),
    ...(resources === true ? ["resources" as const, "resourceTemplates" as const] : []),
    ...(prompts === true ? ["prompts" as const] : []),
  ];
}

function printContents(contents: Contents, flags: ListFlags, { terminal }: CliContext): void {
  const tools = contents.tools?.filter((tool) => !isSystemTool(tool)) ?? [];
  for (const tool of tools) printTool(tool, flags, terminal);
  const { resources = [], resourceTemplates = [], prompts = [] } = contents;
  for (const resource of resources) printItem("resource", resource.uri, aboutOf(resource, resource.uri), terminal);
  for (const template of resourceTemplates) {
    printItem("resource", template.uriTemplate, aboutOf(template, template.uriTemplate), terminal);
  }
  for (const { name, arguments: args = [], description } of prompts) {
    const parameters = args.map((arg) => `${arg.name}${arg.required === true ? "" : "?"}: string`).join(", ");
    printItem("prompt", `${name}(${parameters})`, description, terminal);
  }
  if (tools.length + resources.length + resourceTemplates.length + prompts.length === 0) {
    terminal.note("Nothing to list");
  }
}

/** The description of a resource, else its title or name, unless that is its address. */
function aboutOf({ description, title, name }: Members, address: string): string | undefined {
  const about = [description, title, name].find((text) => typeof text === "string" && text !== "");
  return about === address ? undefined : about as string | undefined;
}

function printTool(tool: ListedTool, { schema, full }: ListFlags, terminal: Terminal): void {
  const { name, inputSchema, outputSchema } = tool;
  const description: string = tool.description ?? "";
  const text = full === true ? printable(description) : firstLineOf(description, terminal.columns);
  for (const line of text === "" ? [] : text.split("\n")) terminal.print(terminal.style("dim", COMMENT + line));
  const shown = printableLine(name);
  if (schema === true) {
    terminal.print(
      `${terminal.style("bold", shown)} ${printable(JSON.stringify({ inputSchema, outputSchema }, undefined, 2))}\n`,
    );
  } else {
    terminal.print(`${terminal.style("bold", shown)}${printable(signatureOf(inputSchema ?? {}, outputSchema))}\n`);
  }
}

function printItem(kind: string, name: string, about: string | undefined, terminal: Terminal): void {
  if (about !== undefined) terminal.print(terminal.style("dim", COMMENT + firstLineOf(about, terminal.columns)));
  terminal.print(`${kind} ${terminal.style("bold", printableLine(name))}\n`);
}

/** The first line of a description, cut to the terminal. */
function firstLineOf(description: string, columns: number): string {
  const [line = ""] = description.trim().split("\n", 1);
  return cutToWidth(printableLine(line), columns - COMMENT.length);
}
