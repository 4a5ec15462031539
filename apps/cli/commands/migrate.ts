/** `toolwire migrate [folder]`: from the official SDK, FastMCP and npm's mcp-lite to Toolwire. */
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { updateFile } from "../files/write_file.ts";
import { diffLines } from "../hosts/diff_lines.ts";
import { isSource } from "../migrate/files.ts";
import type { Migration } from "../migrate/migrate.ts";
import { printable } from "../terminal/terminal.ts";

interface MigrateFlags {
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly transforms?: readonly string[];
  readonly ignore?: readonly string[];
}

export const migrateCommand: CliCommand = defineCommand<MigrateFlags>({
  usage: "[folder] [--dry-run] [--transforms <names>] [--ignore <glob>] [--force] [--json]",
  about:
    "Rewrites servers of the official MCP SDK (1.x and 2.x), of FastMCP and of npm's mcp-lite for Toolwire: tools, resources, prompts, results, " +
    "questions, progress, transports and package.json. What it cannot decide is left, with a comment @toolwire-todo above the line, " +
    "and listed. Needs ts-morph. Refuses a folder with uncommitted changes.",
  examples: [
    ["npx -y -p toolwire -p ts-morph toolwire migrate", "The folder that you are in"],
    ["toolwire migrate src --dry-run", "Print the changes, and write nothing"],
    ["toolwire migrate --ignore 'test/**' --ignore scripts", "Leave files out"],
  ],
  parameters: {
    flags: {
      dryRun: { kind: "boolean", optional: true, withNegated: false, brief: "Print the changes, and write nothing" },
      transforms: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: ",",
        placeholder: "names",
        brief: "Steps: servers, transports, types. Default: all",
      },
      ignore: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "glob",
        brief: "Files to leave out",
      },
      force: { kind: "boolean", optional: true, withNegated: false, brief: "Also with uncommitted changes" },
      json: { kind: "boolean", optional: true, withNegated: false, brief: "One JSON object on standard output" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "Folder or file. Default: the current folder", parse: String, placeholder: "folder" },
      maximum: 1,
    },
  },
  async run(context, flags, folder = "."): Promise<ExitCode> {
    const { terminal, host } = context;
    const path = resolve(host.cwd, folder);
    if (!existsSync(path)) throw new CliError(EXIT.usage, `There is no folder ${folder}`);
    assertReadable(path, folder);
    const { planMigration, TRANSFORM_NAMES } = await loadMigrate();
    const unknown = flags.transforms?.find((name) => !TRANSFORM_NAMES.includes(name));
    if (unknown !== undefined) {
      throw new CliError(
        EXIT.usage,
        `There is no step ${JSON.stringify(unknown)}: they are ${TRANSFORM_NAMES.join(", ")}`,
      );
    }
    if (flags.dryRun !== true && flags.force !== true) assertClean(path, folder);
    const migration = planMigration(path, { transforms: flags.transforms, ignore: flags.ignore });
    const copies = flags.dryRun === true ? [] : await writeChanges(migration, path, flags.force === true);
    const root = folderOf(path);
    if (flags.json === true) printReport(context, migration, root);
    else {
      if (flags.dryRun === true) printDiff(context, migration, root);
      printSummary(context, migration, root, flags.dryRun === true);
    }
    for (const copy of copies) terminal.note(`The old file is ${printable(copy)}`);
    terminal.status.end();
    const { left, failed, errors } = migration;
    return left.length + failed.length + errors.length > 0 ? EXIT.found : EXIT.ok;
  },
});

/** Writes the changes. What Git does not have as it was is copied: returns the paths of the copies. */
async function writeChanges(
  { changes }: Migration,
  path: string,
  isForced: boolean,
): Promise<readonly string[]> {
  const copies: string[] = [];
  const within = folderOf(path);
  const committed = isForced ? new Set<string>() : trackedFiles(within);
  for (const { file, before, after } of changes) {
    const { backup } = await updateFile(file, (old) => {
      if (new TextDecoder("utf-8", { ignoreBOM: true }).decode(old) === before) return after;
      throw new CliError(EXIT.found, `The file ${file} was changed meanwhile: run the command again`, { code: "file" });
    }, { within, isDisposable: () => committed.has(file) });
    if (backup !== undefined) copies.push(backup);
  }
  return copies;
}

function folderOf(path: string): string {
  return statSync(path).isDirectory() ? path : dirname(path);
}

/** @throws {CliError} If a path is neither a folder nor a file that can be converted. */
function assertReadable(path: string, given: string): void {
  const stats = statSync(path);
  if (stats.isDirectory() || (stats.isFile() && isSource(path))) return;
  throw new CliError(EXIT.usage, `Cannot migrate ${given}: it is not a folder, nor a file of JavaScript or TypeScript`);
}

/** Paths of the files that Git has; empty without Git. */
function trackedFiles(folder: string): ReadonlySet<string> {
  const names = git(folder, "ls-files", "-z", "--", ".")?.split("\0") ?? [];
  return new Set(names.filter(Boolean).map((name) => join(folder, name)));
}

/** Output of Git; `undefined` if it fails or is missing. */
function git(cwd: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: Infinity,
    });
  } catch {
    return undefined;
  }
}

/** The conversion needs ts-morph, which is not installed with Toolwire. */
async function loadMigrate() {
  try {
    return await import("../migrate/migrate.ts");
  } catch (cause) {
    if (!/ts-morph/.test(String(cause))) throw cause;
    throw new CliError(EXIT.usage, "Cannot migrate: ts-morph is not installed", {
      code: "ts_morph",
      hint: "Run it with both packages: npx -y -p toolwire -p ts-morph toolwire migrate",
      cause,
    });
  }
}

/** @throws {CliError} If a file of the folder has changes that are not committed. */
function assertClean(path: string, folder: string): void {
  // Without Git there is nothing to compare.
  const status = git(folderOf(path), "status", "--porcelain", "--", ".") ?? "";
  if (status.trim() === "") return;
  throw new CliError(EXIT.usage, `Cannot migrate ${folder}: it has changes that are not committed`, {
    code: "dirty",
    hint: "Commit them first, or use --force",
  });
}

function printDiff({ terminal }: CliContext, { changes }: Migration, root: string): void {
  for (const { file, before, after } of changes) {
    terminal.print(terminal.style("bold", printable(relative(root, file))));
    for (const line of diffLines(before, after)) {
      terminal.print(terminal.style(line.startsWith("-") ? "red" : "green", terminal.foreign(line)));
    }
  }
}

function printSummary({ terminal }: CliContext, migration: Migration, root: string, isDryRun: boolean): void {
  const { changes, left, failed, notes, errors, isTyped } = migration;
  const place = (file: string) => printable(relative(root, file));
  const verb = isDryRun ? "would change" : "changed";
  terminal.note(
    changes.length === 0 ? "Nothing to change" : `${changes.length} ${changes.length === 1 ? "file" : "files"} ${verb}`,
  );
  for (const { file } of changes) terminal.note(`  ${place(file)}`);
  if (notes.size > 0) terminal.note("Different by design:");
  for (const [text, places] of notes) {
    terminal.note(
      `  ${text} (${
        places.length === 1 ? place(places[0] ?? "") : `${places.length} places, first ${place(places[0] ?? "")}`
      })`,
    );
  }
  if (left.length > 0) terminal.note("Left for you, each with a comment @toolwire-todo:");
  for (const { file, line, reason } of left) terminal.note(`  ${place(file)}:${line} ${printable(reason)}`);
  if (errors.length > 0) terminal.note("Does not compile yet:");
  for (const { file, line, message } of errors) terminal.note(`  ${place(file)}:${line} ${printable(message)}`);
  if (changes.length > 0 && !isTyped) {
    terminal.note("Types were not checked: the packages of the folder are not installed");
  }
  if (failed.length > 0) terminal.note("Not converted:");
  for (const { file, reason } of failed) terminal.note(`  ${place(file)}: ${printable(reason)}`);
}

function printReport({ terminal }: CliContext, migration: Migration, root: string): void {
  const { changes, left, failed, errors, isTyped, notes } = migration;
  const at = <Item extends { readonly file: string }>(item: Item) => ({ ...item, file: relative(root, item.file) });
  terminal.printJson({
    changed: changes.map(({ file }) => relative(root, file)),
    left: left.map(at),
    failed: failed.map(at),
    errors: errors.map(at),
    typesChecked: isTyped,
    notes: [...notes].map(([text, places]) => ({ text, places: places.map((one) => relative(root, one)) })),
  });
}
