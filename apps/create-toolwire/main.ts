#!/usr/bin/env node
/** `npm create toolwire`: what `toolwire init` does, in a package of one file. */
import process from "node:process";
import { parseArgs } from "node:util";
import { createPrompter } from "../cli/calls/prompter.ts";
import { ProjectError } from "../cli/init/create_project.ts";
import { runInit } from "../cli/init/run_init.ts";
import { TEMPLATE_NAMES } from "../cli/init/templates.ts";
import { escapeControls } from "../../src/internal/text.ts";

const USAGE = `Usage: npm create toolwire@latest [folder] -- [options]

  --template <name>   ${TEMPLATE_NAMES.join(", ")}
  --runtime <name>    node, bun, deno
  --yes               ask nothing
  --no-install        do not install the packages
  --no-git            do not start a Git repository`;

const note = (line: string) => void process.stderr.write(`${escapeControls(line)}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const read = readArgs(args);
  if (typeof read === "string") {
    note(`${read}\n\n${USAGE}`);
    return 2;
  }
  if (read.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  try {
    const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true && process.env["CI"] !== "true";
    const { stdin, stdout, stderr, env } = process;
    const cwd = process.cwd();
    const host = {
      cwd,
      env,
      nodeVersion: process.versions.node,
      isInteractive,
      createPrompter: () => createPrompter({ stdin, stdout, stderr, env, cwd }),
      note,
    };
    return await runInit(read.folder, read.flags, host) ? 0 : 130;
  } catch (thrown) {
    if (!(thrown instanceof ProjectError)) throw thrown;
    note(thrown.message);
    return 2;
  }
}

/** The arguments, or what is wrong with them. */
function readArgs(args: readonly string[]) {
  try {
    const { values, positionals: [folder, ...rest] } = parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        template: { type: "string" },
        runtime: { type: "string" },
        yes: { type: "boolean", short: "y" },
        install: { type: "boolean" },
        git: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    const { help = false, ...flags } = values;
    return rest.length > 0 ? `There is one argument too many: ${JSON.stringify(rest[0])}` : { folder, flags, help };
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
