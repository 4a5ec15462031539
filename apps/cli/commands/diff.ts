/** `toolwire diff <a> <b>`: what changed between two servers, and whether it breaks callers. */
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { compareLists, type ListChange } from "../../../src/inspection/contract_diff/list_changes.ts";
import type { Level } from "../../../src/inspection/contract_diff/schema_change.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { readTwoSources } from "../targets/sources.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";

interface DiffFlags extends TargetFlags {
  readonly allow?: "uncertain";
  readonly json?: boolean;
}

export const diffCommand: CliCommand = defineCommand<DiffFlags>({
  usage: "<before> <after> [--allow uncertain] [--json]",
  about:
    "Compares two servers, and ends with exit code 1 if callers of the first would break: fewer arguments accepted, other outputs, tools " +
    "or failures. Each of the two is a target, or a file or URL that ends in .json: the output of toolwire list --json, a file of " +
    "toolwire pin, or an OpenAPI document.",
  examples: [
    ["toolwire diff released.json ./server.ts", "Does this version break callers of the released one?"],
    ["toolwire diff https://example.com/mcp https://staging.example.com/mcp", "Two deployments"],
    ["toolwire diff before.json after.json --allow uncertain", "Accept changes that cannot be judged"],
  ],
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      allow: {
        kind: "enum",
        values: ["uncertain"],
        optional: true,
        brief: "Changes that do not count. Default: those that cannot be judged count as breaking",
      },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: { kind: "array", parameter: { brief: "Target or file", parse: String, placeholder: "source" } },
  },
  async run(context, flags, ...words) {
    const [before, after] = await readTwoSources(words, flags, context);
    const changes = compareLists(before, after);
    const isBreaking = changes.some(({ level }) =>
      level === "breaking" || (level === "uncertain" && flags.allow === undefined)
    );
    if (flags.json === true) context.terminal.printJson({ isBreaking, counts: countLevels(changes), changes });
    else printChanges(changes, context);
    return (isBreaking ? EXIT.found : EXIT.ok) satisfies ExitCode;
  },
});

const LEVELS: readonly Level[] = ["breaking", "uncertain", "compatible", "note"];

function countLevels(changes: readonly ListChange[]): Record<Level, number> {
  const counts = LEVELS.map((level) => [level, changes.filter((change) => change.level === level).length]);
  return Object.fromEntries(counts) as Record<Level, number>;
}

/** Prints the changes, the breaking ones first. */
function printChanges(changes: readonly ListChange[], { terminal }: CliContext): void {
  for (const level of LEVELS) {
    for (const change of changes.filter((one) => one.level === level)) terminal.print(formatChange(change, terminal));
  }
  const counts = countLevels(changes);
  const named = LEVELS.filter((level) => counts[level] > 0).map((level) => `${counts[level]} ${level}`);
  terminal.note(named.length === 0 ? "No changes" : named.join(", "));
}

const STYLES = { breaking: "red", uncertain: "yellow", compatible: "green", note: "dim" } as const;

function formatChange({ level, subject, place, message }: ListChange, terminal: Terminal): string {
  const where = printable(place === "" ? subject : `${subject}, ${place}`).replaceAll("\n", " ");
  return `${terminal.style(STYLES[level], level)}  ${where}: ${printable(message).replaceAll("\n", " ")}`;
}
