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
import type { PromiseOptions } from "./definition.ts";
import { type AnyExample, checkExamples, type ExampleSchemas } from "./examples.ts";
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

/** Rules of `defineTool` of the front door. The core leaves these values to TypeScript. */
export interface DefinitionRules {
  /** @throws {TypeError} If it is not a string, or is empty. */
  text(label: string, name: string, text: string): void;
  /** @throws {TypeError} If there is no such hint, or it has the wrong type. */
  annotations(label: string, annotations: ToolAnnotations): void;
  /**
   * @throws {TypeError} If there is no such option, or it has the wrong type.
   * @throws {RangeError} If a number is out of range.
   */
  promise(label: string, options: PromiseOptions): void;
  /** @throws {TypeError} If an example has no `input`, or a value does not fit its schema. */
  examples(label: string, examples: readonly AnyExample[], schemas: ExampleSchemas): void;
}

/** The rules. */
export const DEFINITION_RULES: DefinitionRules = {
  text: (label, name, text) => checkOptions(`define ${label}`, { [name]: text }, { [name]: TEXT }),
  annotations: (label, annotations) => checkOptions(`annotate ${label}`, annotations, ANNOTATIONS),
  promise: (label, options) => checkOptions(`promise answers of ${label}`, options, PROMISE),
  examples: checkExamples,
};
