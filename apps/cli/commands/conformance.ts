/** `toolwire conformance <target>`: whether a server complies with the specifications of MCP-lite and Webtools. */
import {
  type ConformanceOptions,
  type ConformanceResult,
  conformanceSuite,
  formatJUnit,
  type NamedTool,
} from "../../../src/entries/testing.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import { writeOut } from "../files/write_out.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { CHECKED_WIRES, conformanceTargetOf } from "../conformance/targets.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { headersOf, HTTP_FLAGS, type HttpFlags, parseDuration } from "../targets/flags.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";

/** Addresses of every wire, for `--list` without a target. */
const EVERY_WIRE = ["http://localhost", "ws://localhost", "grpc://localhost", "http://localhost/webtools/any"];

const FORMATS = ["text", "json", "junit"] as const;

/** Flags that name a tool, and what the tool does. */
const TOOL_FLAGS = {
  tool: "that gives an answer",
  streamTool: "that sends partial results",
  promiseTool: "that gives a promise",
  questionTool: "that asks its caller",
  failureTool: "that refuses these arguments",
  brokenTool: "that breaks",
  slowTool: "that takes longer than a millisecond",
} as const;

type ToolFlags = { readonly [Name in keyof typeof TOOL_FLAGS]?: string };

interface ConformanceFlags extends HttpFlags, ToolFlags {
  readonly wire?: typeof CHECKED_WIRES[number];
  readonly allowWrites?: boolean;
  readonly level?: "must" | "should";
  readonly timeout?: number;
  readonly format?: typeof FORMATS[number];
  readonly json?: boolean;
  readonly list?: boolean;
  readonly out?: string;
}

export const conformanceCommand: CliCommand = defineCommand<ConformanceFlags>({
  usage: "<url>… [--tool <name>] [--allow-writes] [--format text|json|junit] [--out <file>]",
  about:
    "Checks a server by the rules of MCP-lite 0.042, over HTTP, gRPC and WebSocket, and of Webtools 2025-06-30. Tools without readOnlyHint are " +
    "not called, unless they are named or --allow-writes is given. What does not apply is reported with its reason. A rule that is " +
    "not followed ends with exit code 1.",
  examples: [
    ["toolwire conformance https://example.com/mcp-lite/v1", "Every rule of MCP-lite over HTTP"],
    ["toolwire conformance https://example.com/webtools/weather", "The rules of Webtools"],
    [`toolwire conformance localhost:8000 --tool 'search {"query":"a"}' --stream-tool report`, "Tools, with arguments"],
    ["toolwire conformance localhost:8000 --format junit --out report.xml", "For CI"],
    ["toolwire conformance --list", "The rules, without a server"],
  ],
  parameters: {
    flags: {
      ...HTTP_FLAGS,
      wire: { kind: "enum", values: CHECKED_WIRES, optional: true, brief: "Wire at the URL. Default: by its path" },
      ...toolParameters(),
      allowWrites: {
        kind: "boolean",
        optional: true,
        withNegated: false,
        brief: "Call tools without readOnlyHint, too",
      },
      level: { kind: "enum", values: ["must", "should"], optional: true, brief: "Only the rules of this level" },
      timeout: {
        kind: "parsed",
        parse: parseDuration,
        optional: true,
        placeholder: "30s",
        brief: "Time limit of each request",
      },
      format: { kind: "enum", values: FORMATS, optional: true, brief: "Form of the report. Default: text" },
      json: { kind: "boolean", optional: true, brief: "The same as --format json" },
      out: { kind: "parsed", parse: String, optional: true, placeholder: "file", brief: "File for the report" },
      list: { kind: "boolean", optional: true, withNegated: false, brief: "Print the checks, and send nothing" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "URL, ws://host:port or grpc://host:port", parse: String, placeholder: "url" },
    },
  },
  async run(context, flags, ...words) {
    const { host, terminal } = context;
    const addresses = flags.list === true && words.length === 0 ? EVERY_WIRE : words;
    const target = conformanceTargetOf(addresses, flags.wire, host.cwd);
    const level = flags.level?.toUpperCase();
    const checks = conformanceSuite({ ...target, headers: headersOf(flags, host.env) }, optionsOf(flags))
      .filter((check) => level === undefined || check.level === level);
    if (flags.list === true) {
      terminal.write(
        formatLines(checks, ({ binding }) => binding, ({ id, level, title }) => [`${id} ${level}: ${title}`]),
      );
      return EXIT.ok;
    }
    const signal = context.interruption();
    const results: ConformanceResult[] = [];
    if (terminal.isInteractive) terminal.status.show(() => `${results.length} of ${checks.length} checks`);
    for (const { run } of checks) {
      signal.throwIfAborted();
      results.push(await run());
    }
    terminal.status.end();
    await writeReport(results, flags, context);
    return results.some(({ status }) => status === "failed") ? EXIT.found : EXIT.ok;
  },
});

function toolParameters() {
  const named = (what: string) => ({
    kind: "parsed" as const,
    parse: (text: string) => (parseNamedTool(text), text),
    optional: true as const,
    placeholder: "name {…}",
    brief: `A tool ${what}, with arguments if needed`,
  });
  return Object.fromEntries(Object.entries(TOOL_FLAGS).map(([name, what]) => [name, named(what)])) as {
    readonly [Name in keyof typeof TOOL_FLAGS]: ReturnType<typeof named>;
  };
}

/** Parses the name of a tool, which may be followed by a JSON object of arguments. */
function parseNamedTool(text: string): NamedTool {
  const [, name = "", json] = /^([^\s{]+)\s*(\{.*\})?\s*$/s.exec(text) ?? [];
  if (name === "") {
    throw new TypeError(`${JSON.stringify(text)} is not the name of a tool, or name {"argument": value}`);
  }
  if (json === undefined) return name;
  try {
    const args: unknown = JSON.parse(json);
    if (isJsonObject(args)) return { name, arguments: args };
  } catch {
    // The message says it.
  }
  throw new TypeError(`the arguments of ${name} are not a JSON object`);
}

function optionsOf(flags: ConformanceFlags): ConformanceOptions {
  const { allowWrites, timeout: timeoutMs } = flags;
  const named = Object.keys(TOOL_FLAGS).flatMap((name) => {
    const text = flags[name as keyof ToolFlags];
    return text === undefined ? [] : [[name, parseNamedTool(text)] as const];
  });
  return {
    ...Object.fromEntries(named),
    ...(allowWrites === true && { allowWrites }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

async function writeReport(
  results: readonly ConformanceResult[],
  flags: ConformanceFlags,
  context: CliContext,
): Promise<void> {
  const { terminal } = context;
  const { json, out, format = json === true ? "json" : "text" } = flags;
  const report = format === "junit"
    ? formatJUnit(results)
    : format === "json"
    ? `${JSON.stringify({ counts: countsOf(results), results }, null, out === undefined ? 0 : 2)}\n`
    : formatText(results, out === undefined ? terminal : undefined);
  if (out === undefined) return terminal.write(format === "text" ? report : terminal.foreign(report.trimEnd()) + "\n");
  // A report can be made again.
  const isReport = (old: Uint8Array) => /^(<\?xml[^]*<testsuites>|\{\s*"counts":)/.test(new TextDecoder().decode(old));
  await writeOut(out, report, context, { isDisposable: isReport });
  terminal.note(summaryOf(results));
}

function countsOf(results: readonly ConformanceResult[]) {
  const count = (wanted: ConformanceResult["status"]) => results.filter(({ status }) => status === wanted).length;
  return { passed: count("passed"), failed: count("failed"), notApplicable: count("not applicable") };
}

function summaryOf(results: readonly ConformanceResult[]): string {
  const { passed, failed, notApplicable } = countsOf(results);
  return `${passed} passed, ${failed} failed, ${notApplicable} not applicable`;
}

const SIGNS = { passed: "✓", failed: "✕", "not applicable": "–" } as const;
const STYLES = { passed: "green", failed: "red", "not applicable": "dim" } as const;

/** A line for each check; failed ones with their request and response. */
function formatText(results: readonly ConformanceResult[], terminal: Terminal | undefined): string {
  const lines = formatLines(
    results,
    ({ binding, specification }) => `${specification}, ${binding}`,
    (result) => linesOf(result, (text) => terminal?.style(STYLES[result.status], text) ?? text),
  );
  return `${lines}\n${summaryOf(results)}\n`;
}

/** Lines of each check, below a heading where it changes. */
function formatLines<Check>(
  checks: readonly Check[],
  titleOf: (check: Check) => string,
  format: (check: Check) => readonly string[],
): string {
  let heading = "";
  const lines = checks.flatMap((check) => {
    const title = titleOf(check);
    const above = title === heading ? [] : [...(heading === "" ? [] : [""]), title];
    heading = title;
    return [...above, ...format(check)];
  });
  return `${lines.join("\n")}\n`;
}

function linesOf(result: ConformanceResult, style: (text: string) => string): readonly string[] {
  const { status, level, id, title, reason, expected, sent, received } = result;
  const line = `${style(SIGNS[status])} ${id} ${level}: ${title}`;
  if (status === "passed") return [line];
  if (status === "not applicable") return [`${line} (${printable(reason ?? "").replaceAll("\n", " ")})`];
  const details = [["expected", expected], ["sent", sent], ["received", received], ["reason", reason]] as const;
  return [
    line,
    ...details.filter(([, text]) => text).map(([name, text = ""]) => {
      return `    ${name}: ${printable(text).replaceAll("\n", "\n      ")}`;
    }),
  ];
}
