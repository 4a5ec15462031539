/**
 * The config of a run, checked against the schema of its tool.
 *
 * A call may bring config; if its wire has no place for config, the server's own counts. Config may hold secrets, so errors name
 * the place and the expected type, and never the value.
 */
import { type ErrorResult, errorResult } from "../call/outcome.ts";
import { formatPath } from "../../internal/text.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { locateIssues } from "../schema/issues.ts";
import type { SchemaResult } from "../schema/standard_schema.ts";
import type { ToolConfig } from "../tool/definition.ts";
import type { CallContext } from "./call_context.ts";

/** Brings `.config()` to tools of `./core`, with its validation: `toolDefiner(toolConfig)`. Tools of the main entry have it. */
export const toolConfig: ToolConfig = { "~configure": configure };

/** Validates config: with the schema of a wire's options, or that of `.config()`. */
type Check = (value: unknown) => MaybePromise<SchemaResult>;

/** Validates the config of a call, else of its part or server, and sets it as `ctx.config`. Returns the error `invalid_config`; may throw. */
export function configure(run: CallContext): MaybePromise<ErrorResult | undefined> {
  const { config: sent } = run.request;
  const { config: schema, part } = run.definition;
  const checks = [sent?.check as Check | undefined, schema?.validate].filter((check) => check !== undefined);
  return checkAll(run, checks, sent?.reveal() ?? part?.config ?? run.services.ownConfig ?? {});
}

/** Runs the checks in order; each gets the output of the one before. */
function checkAll(
  run: CallContext,
  [check, ...rest]: readonly Check[],
  value: unknown,
): MaybePromise<ErrorResult | undefined> {
  if (check === undefined) {
    // A tool without .config() gets none.
    if (run.definition.config !== undefined) run.runState.config = value;
    return undefined;
  }
  const goOn = ({ value: output, issues }: SchemaResult) => {
    return issues === undefined
      ? checkAll(run, rest, output)
      : invalidConfig(issues, value, run.request.config === undefined);
  };
  const checked = check(value);
  return checked instanceof Promise ? checked.then(goOn) : goOn(checked);
}

function invalidConfig(found: NonNullable<SchemaResult["issues"]>, value: unknown, isOwn: boolean): ErrorResult {
  const located = locateIssues(found);
  // Some libraries quote the value in what they expected.
  const quoted = new Set<string>();
  collectQuoted(value, located.map(({ expected }) => expected).join("\n"), quoted);
  const issues = located.map(({ path, expected }) => ({
    path,
    expected: [...quoted].some((text) => expected.includes(text)) ? "what its schema says" : expected,
  }));
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
  // The caller cannot correct the config of the server.
  const whose = isOwn ? "; the call brought none, and the server's own, createServer({ config }), does not fit" : "";
  return errorResult("invalid_config", `Invalid config${where}: expected ${first?.expected}${whose}`, { issues });
}

/**
 * Collects texts and numbers of a config that the sentences quote. Those of one or two characters are ignored, since any
 * sentence has them. Nothing is copied of the rest, which may be half a million values.
 */
function collectQuoted(value: unknown, sentences: string, quoted: Set<string>): void {
  if (typeof value === "object" && value !== null) {
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    for (const member of members) collectQuoted(member, sentences, quoted);
    return;
  }
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (text.length > 2 && text.length <= sentences.length && sentences.includes(text)) quoted.add(text);
}
