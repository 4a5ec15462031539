/** `toolwire publish [folder]`: `server.json` for the registry of MCP servers. */
import { dirname, join, resolve } from "node:path";
import { createServerJson, readPackage } from "../../../src/entries/packaging.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { diffLines } from "../hosts/diff_lines.ts";
import { readFileBytes } from "../files/place.ts";
import { writeOut } from "../files/write_out.ts";
import { parsePackageVariable, throwPackaging, VARIABLE_FLAG } from "../packaging/package_flags.ts";
import { runToEnd } from "../terminal/run_to_end.ts";
import { printable } from "../terminal/terminal.ts";

interface PublishFlags {
  readonly title?: string;
  readonly remote?: readonly string[];
  readonly env?: readonly string[];
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly json?: boolean;
}

export const publishCommand: CliCommand = defineCommand<PublishFlags>({
  usage: "[folder] [--remote <url>] [--title <title>] [--env NAME[=default]] [--dry-run|--check] [--json]",
  about:
    "Writes server.json from package.json, checks it by the rules of the registry of MCP servers, and runs mcp-publisher if it is " +
    "installed: that program signs in and uploads. Publish the npm package first, with mcpName in its package.json.",
  examples: [
    ["toolwire publish --dry-run", "Show what would be written"],
    ["toolwire publish --remote https://example.com/mcp", "The npm package, and a URL of Streamable HTTP"],
    ["toolwire publish --check", "In CI: exit 1 if server.json differs from package.json"],
  ],
  parameters: {
    flags: {
      title: { kind: "parsed", parse: String, optional: true, brief: "Name for people" },
      remote: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "url",
        brief: "URL of the server",
      },
      env: VARIABLE_FLAG,
      dryRun: { kind: "boolean", optional: true, brief: "Show the change, and write and publish nothing" },
      check: { kind: "boolean", optional: true, brief: "Compare the file alone; exit 1 if it differs" },
      json: { kind: "boolean", optional: true, brief: "server.json on standard output, on one line" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "Folder of package.json", parse: String, placeholder: "folder" },
      maximum: 1,
    },
  },
  async run(context, flags, folder = "."): Promise<ExitCode | void> {
    const { terminal, host } = context;
    const { file, before, after } = planServerJson(resolve(host.cwd, folder), flags);
    if (flags.json === true) terminal.printJson(JSON.parse(after));
    for (const line of diffLines(before, after)) terminal.note(printable(line));
    if (flags.check === true && before !== after) {
      throw new CliError(EXIT.found, `${file} differs from package.json`, {
        code: "drift",
        hint: "Run toolwire publish, and commit it",
      });
    }
    if (flags.dryRun === true || flags.check === true) return terminal.note(`${file}: valid, not written`);
    await writeOut(file, after, context, { within: dirname(file) });
    terminal.note(`${file}: ${before === after ? "up to date" : "written"}`);
    return await handOver(resolve(host.cwd, folder), context);
  },
});

function planServerJson(folder: string, { title, remote, env = [] }: PublishFlags) {
  try {
    const found = readPackage(folder);
    const entry = createServerJson(found.manifest, {
      ...(title !== undefined && { title }),
      ...(remote !== undefined && { remotes: remote }),
      variables: env.map(parsePackageVariable),
    });
    const file = join(found.folder, "server.json");
    return {
      file,
      before: new TextDecoder().decode(readFileBytes(file, { within: found.folder })),
      after: `${JSON.stringify(entry, undefined, 2)}\n`,
    };
  } catch (thrown) {
    throwPackaging(thrown);
  }
}

/** Runs `mcp-publisher publish`, which has the user's credentials. */
async function handOver(folder: string, { terminal, host }: CliContext): Promise<ExitCode> {
  const code = await runToEnd("mcp-publisher", ["publish"], { cwd: folder, env: host.env, stdio: "inherit" });
  if (code instanceof Error && !isMissing(code)) {
    throw new CliError(EXIT.found, `Cannot start mcp-publisher: ${code.message}`, { code: "publish", cause: code });
  }
  if (code instanceof Error) {
    terminal.note(
      "mcp-publisher is not installed: install it, then run `mcp-publisher login github` and `mcp-publisher publish`",
    );
    return EXIT.ok;
  }
  if (code === 0) return EXIT.ok;
  throw new CliError(EXIT.found, `mcp-publisher ended with status ${code}`, { code: "publish" });
}

function isMissing(error: Error): boolean {
  return (error as { readonly code?: string }).code === "ENOENT";
}
