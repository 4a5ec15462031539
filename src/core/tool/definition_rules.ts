/**
 * Validates the metadata of tools when they are defined. Otherwise a client would be the first to find a wrong type.
 */
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  OBJECT,
  oneOf,
  type OptionRule,
  type OptionRules,
  required,
  rule,
  TEXT,
  TEXTS,
  wholeNumber,
} from "../../internal/options.ts";
import { BACKOFF, LIFE } from "./backoff_rules.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { UnknownArgumentsMode } from "../schema/unknown_arguments.ts";
import type { Schema } from "../schema/standard_schema.ts";
import type { IsVisible } from "./access.ts";
import type { AnswerFormat, AnyTool, PromiseOptions, RenderedOutput, ToolDefinition, ToolView } from "./definition.ts";
import { type AnyWork, Builder } from "./define_tool.ts";
import { foreignSteps, wrongStep } from "./spelling_errors.ts";
import { type AnyExample, checkExamples } from "./examples.ts";
import type { AttemptOptions } from "../handler/steps.ts";
import type { ToolAnnotations } from "../handler/middleware.ts";

const ANNOTATIONS: OptionRules<ToolAnnotations> = {
  title: TEXT,
  readOnlyHint: BOOLEAN,
  destructiveHint: BOOLEAN,
  idempotentHint: BOOLEAN,
  openWorldHint: BOOLEAN,
  audience: TEXTS,
  priority: rule("from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1),
  lastModified: TEXT,
};

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;

const PROMISE: OptionRules<PromiseOptions> = {
  budgetMs: rule("a positive number of milliseconds", isPositive),
  ttlMs: LIFE,
  retries: rule(
    "a whole number from 0, or { attempts, minMs, maxMs, factor, jitter }",
    (value) => wholeNumber(0).fits(value) || isJsonObject(value),
  ),
  jobTimeoutMs: LIFE,
  required: BOOLEAN,
  keepFailed: BOOLEAN,
  durable: oneOf("start", "budget"),
  tags: rule("names of arguments", (value) => Array.isArray(value) && value.every((one) => typeof one === "string")),
  undoMs: rule("a number of milliseconds from 0", (value) => value === 0 || LIFE.fits(value)),
};

const ERRORS: OptionRule = required(rule("an object of schemas, or null, by code", OBJECT.fits));
const EXAMPLES: OptionRule = required(rule("an array of { input, output? }", Array.isArray));
const UNKNOWN_ARGUMENTS: OptionRule = required(oneOf("suggest", "refuse", "drop"));
const RETRIES: OptionRules<AttemptOptions> = {
  attempts: wholeNumber(1),
  ...BACKOFF,
};

/** The builder of `defineTool` of the main entry: its methods throw for invalid arguments. In `./core` only TypeScript checks most of them. */
export class CheckedBuilder extends Builder {
  static {
    for (const method of foreignSteps()) {
      const value = function (this: CheckedBuilder, ...args: readonly unknown[]): never {
        throw wrongStep(method, args, this.draft);
      };
      Object.defineProperty(this.prototype, method, { value, configurable: true });
    }
  }

  override describe(description: string): Builder {
    if (typeof description === "string" && description.trim() !== "") return super.describe(description);
    throw new TypeError(
      `Cannot describe ${this.label}: callers choose tools by their description, so it cannot be empty`,
    );
  }

  override type(type: string): Builder {
    checkOptions(`define ${this.label}`, { type }, { type: TEXT });
    return super.type(type);
  }

  override title(title: string): Builder {
    checkOptions(`define ${this.label}`, { title }, { title: TEXT });
    return super.title(title);
  }

  override annotate(annotations: ToolAnnotations): Builder {
    checkOptions(`annotate ${this.label}`, annotations, ANNOTATIONS);
    return super.annotate(annotations);
  }

  override view(view: ToolView): Builder {
    if (typeof view?.["~apply"] === "function") return super.view(view);
    throw new TypeError(`Cannot define ${this.label}: .view() takes view({ html: "…" }), from "toolwire/apps"`);
  }

  override keywords(words: readonly string[]): Builder {
    checkOptions(`define ${this.label}`, { keywords: words }, { keywords: required(TEXTS) });
    return super.keywords(words);
  }

  override meta(members: Readonly<Record<string, unknown>>): Builder {
    checkOptions(`define ${this.label}`, { meta: members }, { meta: required(OBJECT) });
    return super.meta(members);
  }

  override errors(schemas: Readonly<Record<string, Schema | null>>): Builder {
    checkOptions(`define ${this.label}`, { errors: schemas }, { errors: ERRORS });
    return super.errors(schemas);
  }

  override examples(examples: readonly AnyExample[]): Builder {
    checkOptions(`define ${this.label}`, { examples }, { examples: EXAMPLES });
    return super.examples(examples);
  }

  override revision(revision: string): Builder {
    checkOptions(`define ${this.label}`, { revision }, { revision: required(TEXT) });
    return super.revision(revision);
  }

  override unknownArguments(unknownArguments: UnknownArgumentsMode): Builder {
    checkOptions(`define ${this.label}`, { unknownArguments }, { unknownArguments: UNKNOWN_ARGUMENTS });
    return super.unknownArguments(unknownArguments);
  }

  override visibleTo(isVisible: IsVisible): Builder {
    checkOptions(`define ${this.label}`, { visibleTo: isVisible }, { visibleTo: required(FUNCTION) });
    return super.visibleTo(isVisible);
  }

  override render(render: (output: unknown) => RenderedOutput): Builder {
    checkOptions(`define ${this.label}`, { render }, { render: required(FUNCTION) });
    return super.render(render);
  }

  override answer(format: AnswerFormat): Builder {
    if (typeof format?.["~apply"] === "function") return super.answer(format);
    const given = isJsonObject(format) ? JSON.stringify(format) : "{ maxTokens: 4_000 }";
    throw new TypeError(
      `Cannot limit answers of ${this.label}: .answer() takes a budget; pass budget(${given}), with budget of "toolwire/answers"`,
    );
  }

  override promise(options: PromiseOptions = {}): Builder {
    checkOptions(`promise answers of ${this.label}`, options, PROMISE);
    const { retries } = options;
    if (typeof retries === "object") checkOptions(`retry work of ${this.label}`, retries, RETRIES);
    return super.promise(options);
  }

  override before(tool: AnyTool): Builder {
    const earlier = tool?.["~definition"];
    if (earlier?.name === this.name && earlier.promise !== undefined) return super.before(tool);
    throw new TypeError(
      `Cannot define ${this.label}: .before() takes an earlier definition of it, a finished tool of the same name with .promise()`,
    );
  }

  override external(work: AnyWork): AnyTool {
    const { start, check, cancel, ttlMs } = work ?? {};
    const isCancelValid = cancel === undefined || typeof cancel === "function";
    if (typeof start !== "function" || typeof check !== "function" || !isCancelValid) {
      throw unfinished(this.label, ".external() takes { start, check, cancel? }, functions");
    }
    if (this.draft.promise !== undefined) {
      throw unfinished(this.label, ".external() promises by itself; leave .promise() out");
    }
    checkOptions(`promise answers of ${this.label}`, { ttlMs }, PROMISE);
    this.#checkParts(start, ".external(…)");
    return super.external(work);
  }

  override handle(handler: ToolDefinition["handler"]): AnyTool {
    if (typeof handler !== "function") throw unfinished(this.label, ".handle() takes a function");
    this.#checkParts(handler, ".handle(…)");
    return super.handle(handler);
  }

  /** @param step The last one, such as `.handle(…)`. */
  #checkParts(handler: unknown, step: string): void {
    const { label, draft } = this;
    if (Object.prototype.toString.call(handler) === "[object GeneratorFunction]") {
      throw unfinished(label, "to stream, write `async function*`, not `function*`");
    }
    if (draft.description === undefined) {
      throw unfinished(label, `call .describe("…") before ${step}, callers choose tools by it`);
    }
    checkRevisions(label, [draft.revision, ...draft.earlierRevisions.map(({ revision }) => revision)]);
    checkExamples(label, draft.examples ?? [], draft);
  }
}

function checkRevisions(label: string, revisions: readonly (string | undefined)[]): void {
  if (new Set(revisions).size === revisions.length) return;
  const same = revisions.find((one, index) => revisions.indexOf(one) !== index);
  const which = same === undefined ? "without one" : `"${same}"`;
  throw unfinished(label, `.before() needs another revision; two are ${which}`);
}

function unfinished(label: string, problem: string): TypeError {
  return new TypeError(`Cannot finish ${label}: ${problem}`);
}
