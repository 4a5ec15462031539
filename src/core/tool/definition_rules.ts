/**
 * Validates the metadata of tools when they are defined. Otherwise a client would be the first to find a wrong type.
 */
import {
  BOOLEAN,
  checkOptions,
  type OptionRule,
  type OptionRules,
  rule,
  TEXT,
  TEXTS,
  wholeNumber,
} from "../../internal/options.ts";
import type { SchemaCheck } from "../schema/json_schema.ts";
import { assertReferences } from "../schema/references.ts";
import type { ExternalWork } from "./builder_types.ts";
import type { PromiseOptions, ToolDefinition, ToolDraft, ToolView } from "./definition.ts";
import type { ErrorMap, OpenState } from "../handler/context.ts";
import { checkExamples } from "./examples.ts";
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

/** A hundred years, in milliseconds. Later times do not fit a date. */
const MAX_LIFE_MS = 3_155_760_000_000;

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;

/** Rule for lifetimes. */
const LIFE: OptionRule = rule(
  "a positive number of milliseconds, at most a hundred years",
  (value) => isPositive(value) && Number(value) <= MAX_LIFE_MS,
);

const PROMISE: OptionRules<PromiseOptions> = {
  budgetMs: rule("a positive number of milliseconds", isPositive),
  ttlMs: LIFE,
  retries: wholeNumber(0),
  jobTimeoutMs: LIFE,
  required: BOOLEAN,
  keepFailed: BOOLEAN,
};

/** Rules of `defineTool` of the front door. The core leaves these values to TypeScript. All throw a `TypeError`. */
export interface DefinitionRules {
  /** It is not a string, or is empty. */
  text(label: string, name: string, text: string): void;
  /** It is not a string, or is empty. */
  description(label: string, description: string): void;
  /** There is no such hint, or it has the wrong type. */
  annotations(label: string, annotations: ToolAnnotations): void;
  /**
   * There is no such option, or it has the wrong type.
   *
   * @throws {RangeError} If a number is out of range.
   */
  promise(label: string, options: PromiseOptions): void;
  /** It is not an earlier definition of the tool. */
  earlier(label: string, name: string, earlier: ToolDefinition | undefined): void;
  /** It was not made by `view()`. */
  view(label: string, view: ToolView | undefined): void;
  /** It lacks a function, or the tool promises twice. */
  external(label: string, work: AnyWork, promise: ToolDraft["promise"]): void;
  /** A `$ref` cannot be resolved. */
  readonly schema: SchemaCheck;
  /** A part is missing, or does not fit the others. `step` is the last one, such as `.handle(…)`. */
  finish(label: string, draft: ToolDraft, handler: ToolDefinition["handler"], step: string): void;
}

type AnyWork = ExternalWork<unknown, unknown, unknown, ErrorMap, unknown, OpenState>;

/** The rules. */
export const DEFINITION_RULES: DefinitionRules = {
  text: (label, name, text) => checkOptions(`define ${label}`, { [name]: text }, { [name]: TEXT }),
  description(label, description) {
    if (typeof description === "string" && description.trim() !== "") return;
    throw new TypeError(`Cannot describe ${label}: callers choose tools by their description, so it cannot be empty`);
  },
  annotations: (label, annotations) => checkOptions(`annotate ${label}`, annotations, ANNOTATIONS),
  promise: (label, options) => checkOptions(`promise answers of ${label}`, options, PROMISE),
  earlier(label, name, earlier) {
    if (earlier?.name === name && earlier.promise !== undefined) return;
    throw new TypeError(
      `Cannot define ${label}: .before() takes an earlier definition of it, a finished tool of the same name with .promise()`,
    );
  },
  view(label, view) {
    if (typeof view?.["~apply"] === "function") return;
    throw new TypeError(`Cannot define ${label}: .view() takes view({ html: "…" }), from "toolwire/apps"`);
  },
  external(label, { start, check, ttlMs }, promise) {
    if (typeof start !== "function" || typeof check !== "function") {
      throw unfinished(label, ".external() takes { start, check, cancel? }");
    }
    if (promise !== undefined) throw unfinished(label, ".external() promises by itself; leave .promise() out");
    checkOptions(`promise answers of ${label}`, { ttlMs }, PROMISE);
  },
  schema: assertReferences,
  finish(label, draft, handler, step) {
    if (typeof handler !== "function") throw unfinished(label, ".handle() takes a function");
    if (Object.prototype.toString.call(handler) === "[object GeneratorFunction]") {
      throw unfinished(label, "to stream, write `async function*`, not `function*`");
    }
    if (draft.description === undefined) {
      throw unfinished(label, `call .describe("…") before ${step}, callers choose tools by it`);
    }
    checkRevisions(label, [draft.revision, ...draft.earlier.map(({ revision }) => revision)]);
    checkExamples(label, draft.examples ?? [], draft);
  },
};

function checkRevisions(label: string, revisions: readonly (string | undefined)[]): void {
  if (new Set(revisions).size === revisions.length) return;
  const same = revisions.find((one, index) => revisions.indexOf(one) !== index);
  const which = same === undefined ? "without one" : `"${same}"`;
  throw unfinished(label, `.before() needs another revision; two are ${which}`);
}

function unfinished(label: string, problem: string): TypeError {
  return new TypeError(`Cannot finish ${label}: ${problem}`);
}
