/**
 * Validates arguments and config against the metadata of a webtool, before a call is sent.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { type Check, compileCheck, type Problem } from "../../../core/json_schema/check.ts";
import { asObject } from "../../../internal/json.ts";
import { describeReceived, formatPath } from "../../../internal/text.ts";
import type { PinnedWebtool } from "./metadata.ts";

type Config = Readonly<Record<string, unknown>>;

/** Metadata and the compiled checks of its schemas. */
export class CheckedMetadata {
  /** The metadata and its digest. */
  readonly webtool: PinnedWebtool;
  readonly #checks = new Map<string, Check>();

  constructor(webtool: PinnedWebtool) {
    this.webtool = webtool;
  }

  /** Returns the error of an invalid call. An unknown action is not an error here: the server reports it. */
  check(tool: string, request: unknown, config: Config | undefined): ErrorResult | undefined {
    const { actions, configSchema, defaultConfig } = this.webtool.metadata;
    const action = actions.find(({ name }) => name === tool);
    if (action === undefined) return undefined;
    if (action["@type"] !== "system") {
      const problems = this.#validate("", configSchema, { ...asObject(defaultConfig), ...config });
      if (problems.length > 0) return invalidConfig(problems);
    }
    const problems = this.#validate(`/${tool}`, action.requestSchema, request);
    return problems.length > 0 ? invalidInput(problems, request) : undefined;
  }

  #validate(key: string, schema: unknown, value: unknown): readonly Problem[] {
    const check = this.#checks.get(key) ?? compileLenientCheck(asObject(schema));
    this.#checks.set(key, check);
    return check(value);
  }
}

/** Compiles a schema of another server. A schema that is invalid, or has unresolvable or circular references, accepts everything. */
function compileLenientCheck(schema: Readonly<Record<string, unknown>>): Check {
  let check: Check;
  try {
    check = compileCheck(schema);
  } catch {
    return () => [];
  }
  return (value) => {
    try {
      return check(value);
    } catch {
      return [];
    }
  };
}

/** The error has no value of the config, because it may be a secret. */
function invalidConfig(problems: readonly Problem[]): ErrorResult {
  const issues = problems.map(({ path, expected }) => ({ path, expected }));
  const message = `Invalid config${formatPlace(problems)}: expected ${problems[0]?.expected}`;
  return errorResult("invalid_config", message, { issues });
}

function invalidInput(problems: readonly Problem[], request: unknown): ErrorResult {
  const issues = problems.map(({ path, expected, isMissing }) => {
    const received = isMissing ? "nothing" : describeReceived(valueAt(request, path));
    const message = isMissing ? `"${path.at(-1)}" is required` : `Expected ${expected} but received ${received}`;
    return { path, expected, received, message };
  });
  return errorResult("invalid_input", `Invalid arguments${formatPlace(problems)}: ${issues[0]?.message}`, { issues });
}

function formatPlace([first]: readonly Problem[]): string {
  return first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
}

function valueAt(value: unknown, path: Problem["path"]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | null | undefined)?.[key], value);
}
