/** `toolwire init [folder]`: a new project. `npm create toolwire` does the same. */
import process from "node:process";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { ProjectError } from "../init/create_project.ts";
import { type InitFlags, runInit } from "../init/run_init.ts";
import { TEMPLATE_NAMES } from "../init/templates.ts";
import { printable } from "../terminal/terminal.ts";

export const initCommand: CliCommand = defineCommand<InitFlags>({
  usage: "[folder] [--template <name>] [--runtime node|bun|deno] [--yes] [--no-install] [--no-git]",
  about:
    `Creates a project with two tools, a test and a README: ${
      TEMPLATE_NAMES.join(", ")
    }. Asks for what is not given; with --yes, or ` +
    "without a terminal, takes the running runtime, installs the packages and starts a Git repository.",
  examples: [
    ["toolwire init my-tools", "Ask for the rest"],
    ["toolwire init my-tools --template workers --yes", "A Cloudflare Worker"],
    ["toolwire init shop --template shop", "A whole program: Express, sessions, PostgreSQL"],
    ["npm create toolwire@latest my-tools -- --yes", "The same, without an installed Toolwire"],
  ],
  parameters: {
    flags: {
      template: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "name",
        brief: TEMPLATE_NAMES.join(", "),
      },
      runtime: {
        kind: "parsed",
        parse: String,
        optional: true,
        brief:
          "node, bun or deno; workers, hono and next are installed by it, and run on Node; whole programs have their own",
      },
      yes: { kind: "boolean", optional: true, withNegated: false, brief: "Ask nothing" },
      install: { kind: "boolean", optional: true, brief: "Install the packages" },
      git: { kind: "boolean", optional: true, brief: "Start a Git repository" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "New or empty folder", parse: String, placeholder: "folder" },
      maximum: 1,
    },
  },
  async run({ host, terminal }, flags, folder): Promise<ExitCode> {
    const { cwd, env } = host;
    const note = (line: string) => terminal.note(printable(line));
    try {
      const createPrompter = async () => await (await import("../calls/prompter.ts")).createPrompter(host);
      const { isInteractive } = terminal;
      const isDone = await runInit(folder, flags, {
        cwd,
        env,
        nodeVersion: process.versions.node,
        isInteractive,
        createPrompter,
        note,
      });
      return isDone ? EXIT.ok : EXIT.interrupted;
    } catch (cause) {
      if (!(cause instanceof ProjectError)) throw cause;
      throw new CliError(EXIT.usage, cause.message, { cause });
    }
  },
});
