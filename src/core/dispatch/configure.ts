/**
 * The configuration of a run: what the environment supplies, checked, and never quoted.
 *
 * A wire may bring what its caller sent; where it has no place for that, the server's own counts. It may hold secrets: what is
 * refused is named by its place and by what was expected there, not by what was there.
 *
 * @module
 */
import type { CallConfig } from "../call/call_config.ts";
import { type ErrorResult, errorResult } from "../call/outcome.ts";
import { formatPath } from "../../internal/text.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { locateIssues } from "../schema/issues.ts";
import type { SchemaResult } from "../schema/standard_schema.ts";
import type { CallContext } from "./call_context.ts";

type Config = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => MaybePromise<SchemaResult>;

/** Configures a run; gives the refusal, if what there is does not fit. Throws what a schema throws. */
export function configure(run: CallContext): MaybePromise<ErrorResult | undefined> {
  const { config: given } = run.call;
  const { config: schema, part } = run.definition;
  const whole = given?.check as Check | undefined;
  const accepting: Check | undefined = whole && ((value) => {
    const checked = whole(value);
    return checked instanceof Promise ? checked.then((later) => accept(given, later)) : accept(given, checked);
  });
  const checks = [accepting, schema?.validate].filter((check) => check !== undefined);
  return checkAll(run, checks, given?.reveal() ?? part?.config ?? run.services.ownConfig ?? {});
}

function accept(given: CallConfig | undefined, checked: SchemaResult): SchemaResult {
  if (checked.issues === undefined) given?.accept(checked.value as Config);
  return checked;
}

/** Each check gets what the one before made of the value. */
function checkAll(
  run: CallContext,
  [check, ...rest]: readonly Check[],
  value: unknown,
): MaybePromise<ErrorResult | undefined> {
  if (check === undefined) {
    // A tool that did not say what it wants is given nothing.
    if (run.definition.config !== undefined) run.configure(value);
    return undefined;
  }
  const goOn = ({ value: made, issues }: SchemaResult) => {
    return issues === undefined
      ? checkAll(run, rest, made)
      : invalidConfig(issues, value, run.call.config === undefined);
  };
  const checked = check(value);
  return checked instanceof Promise ? checked.then(goOn) : goOn(checked);
}

function invalidConfig(found: NonNullable<SchemaResult["issues"]>, value: unknown, isOwn: boolean): ErrorResult {
  const located = locateIssues(found);
  // Some libraries tell what was there along with what they expected.
  const quoted = new Set<string>();
  collectQuoted(value, located.map(({ expected }) => expected).join("\n"), quoted);
  const issues = located.map(({ path, expected }) => ({
    path,
    expected: [...quoted].some((text) => expected.includes(text)) ? "what its schema says" : expected,
  }));
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
  // Who called may have no means to mend it.
  const whose = isOwn ? "; the call brought none, and the server's own, createServer({ config }), does not fit" : "";
  return errorResult("invalid_config", `Invalid config${where}: expected ${first?.expected}${whose}`, { issues });
}

/**
 * Texts and numbers anywhere in a config that sentences quote, but those of a character or two, which any sentence has. Nothing
 * is made of the rest: there may be half a million.
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
