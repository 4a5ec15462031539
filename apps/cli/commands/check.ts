/** `toolwire check <target>`: what models, hosts and vendors will have trouble with. */
import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type CheckReport, checkTools, VENDORS } from "../check/check_tools.ts";
import type { Finding, FindingLevel } from "../check/finding.ts";
import { toSarif } from "../check/sarif.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { assertNoMore, readSource } from "../targets/sources.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";

const FORMATS = ["text", "json", "sarif"] as const;

interface CheckFlags extends TargetFlags {
  readonly for?: readonly (typeof VENDORS[number])[];
  readonly budget?: number;
  readonly format?: typeof FORMATS[number];
  readonly json?: boolean;
}

/** Size of a list that leaves most of a model's context to the task, in tokens. */
const DEFAULT_BUDGET = 8_000;

export const checkCommand: CliCommand = defineCommand<CheckFlags>({
  usage: "<target> [--for openai,anthropic,gemini] [--budget <tokens>] [--format text|json|sarif]",
  about:
    "Checks the tools of a server: names, schemas, descriptions, hints, sizes, and whether the schemas fit what vendors of models take. " +
    "Errors and warnings end with exit code 1, notes do not. The target may also be a file or URL that ends in .json.",
  examples: [
    ["toolwire check ./server.ts", "Findings by tool"],
    [
      "toolwire check ./server.ts --for openai --budget 4000",
      "Strict mode of OpenAI is a must, and 4,000 tokens at most",
    ],
    ["toolwire check ./server.ts --format sarif > check.sarif", "For code scanning"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      for: {
        kind: "enum",
        values: VENDORS as typeof VENDORS & readonly string[],
        optional: true,
        variadic: ",",
        brief: "Vendors whose refusals are warnings. Default: they are notes",
      },
      budget: {
        kind: "parsed",
        parse: parseBudget,
        optional: true,
        placeholder: "tokens",
        brief: `Maximum size of the list. Default: ${DEFAULT_BUDGET} tokens, estimated`,
      },
      format: { kind: "enum", values: FORMATS, optional: true, brief: "Form of the findings. Default: text" },
      json: { kind: "boolean", optional: true, brief: "The same as --format json" },
    },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" } },
  },
  async run(context, flags, ...words) {
    const { source, rest } = await readSource(words, flags, context);
    assertNoMore(rest);
    const { for: vendors = [], budget = DEFAULT_BUDGET, json, format = json === true ? "json" : "text" } = flags;
    const report = await checkTools(source.tools, { vendors, budget });
    if (format === "sarif") context.terminal.printJson(toSarif(report.findings, fileOf(source.label, context)));
    else if (format === "json") context.terminal.printJson({ ...report, counts: countLevels(report.findings) });
    else printFindings(report, context);
    const isClean = report.findings.every(({ level }) => level === "note");
    return (isClean ? EXIT.ok : EXIT.found) satisfies ExitCode;
  },
});

function parseBudget(text: string): number {
  const budget = Number(text);
  if (Number.isInteger(budget) && budget > 0) return budget;
  throw new TypeError(`${JSON.stringify(text)} is not a number of tokens such as 8000`);
}

/** The file of a target, relative to the working directory. `undefined` if it has none. */
function fileOf(label: string, { host: { cwd } }: CliContext): string | undefined {
  const file = resolve(cwd, label);
  return existsSync(file) ? relative(cwd, file).replaceAll("\\", "/") : undefined;
}

const LEVELS: readonly FindingLevel[] = ["error", "warning", "note"];

function countLevels(findings: readonly Finding[]): Record<FindingLevel, number> {
  const counts = LEVELS.map((level) => [level, findings.filter((finding) => finding.level === level).length]);
  return Object.fromEntries(counts) as Record<FindingLevel, number>;
}

/** Prints the findings, the most severe first. */
function printFindings({ findings, tokens }: CheckReport, { terminal }: CliContext): void {
  for (const level of LEVELS) {
    for (const finding of findings.filter((one) => one.level === level)) {
      terminal.print(formatFinding(finding, terminal));
    }
  }
  const counts = countLevels(findings);
  const named = LEVELS.filter((level) => counts[level] > 0).map((level) =>
    `${counts[level]} ${level}${counts[level] === 1 ? "" : "s"}`
  );
  terminal.note(`${named.length === 0 ? "No findings" : named.join(", ")}; the list takes about ${tokens} tokens`);
}

const STYLES = { error: "red", warning: "yellow", note: "dim" } as const;

function formatFinding({ level, rule, tool, place, message }: Finding, terminal: Terminal): string {
  const where = [tool ?? "the list", place].filter((part) => part !== "").join(", ");
  const text = printable(`${where}: ${message}`).replaceAll("\n", " ");
  return `${terminal.style(STYLES[level], level)}  ${text} ${terminal.style("dim", `[${rule}]`)}`;
}
