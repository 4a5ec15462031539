/** Which scenarios of the official suites need a declared feature: one that passes without it is a problem. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as script from "../../scripts/conformance_features.mjs";

const { namesOf, formatFeature, passedUndeclared } = script as {
  namesOf(capabilities: object): readonly string[];
  formatFeature(scenario: string, declared: ReadonlySet<string>): string;
  passedUndeclared(scenarios: ReadonlyMap<string, { state: string }>, declared: ReadonlySet<string>): readonly string[];
};

const declared = new Set(namesOf({
  tools: {},
  resources: { subscribe: true },
  extensions: { "io.modelcontextprotocol/tasks": {} },
}));

test("the features of capabilities include extensions and subscriptions", () => {
  deepStrictEqual([...declared], ["tools", "resources", "resources.subscribe", "io.modelcontextprotocol/tasks"]);
});

test("the cell of a scenario names its feature, and whether the server declares it", () => {
  strictEqual(formatFeature("resources-subscribe", declared), "resources.subscribe");
  strictEqual(formatFeature("tasks-lifecycle", declared), "tasks");
  strictEqual(formatFeature("prompts-list", declared), "prompts, not declared");
  strictEqual(formatFeature("sep-2640-skills-manifest", declared), "skills, not declared");
  strictEqual(formatFeature("ping", declared), "–");
});

test("a scenario that passes without its feature is a problem, a skipped one is not", () => {
  const scenarios = new Map([
    ["tools-list", { state: "passed" }],
    ["ping", { state: "passed" }],
    ["sep-2640-skills-manifest", { state: "skipped" }],
    ["prompts-list", { state: "passed" }],
  ]);
  deepStrictEqual(passedUndeclared(scenarios, declared), [
    "prompts-list passes, but the server does not declare prompts",
  ]);
});
