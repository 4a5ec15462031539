/** `defineTool` as the front door has it: with the schemas of all libraries. */
import { isJsonObject } from "../../internal/json.ts";
import { SCHEMA_ADAPTERS } from "../../core/schema/all_adapters.ts";
import { assertReferences } from "../../core/schema/references.ts";
import { toolConfig } from "../../core/dispatch/run_config.ts";
import { CheckedBuilder } from "../../core/tool/definition_rules.ts";
import { wrongDefinition } from "../../core/tool/spelling_errors.ts";
import { type BuilderParts, type DefineTool, startTool, withFor } from "../../core/tool/define_tool.ts";
import type { EmptyToolBuilder } from "../../core/tool/builder_types.ts";

const PARTS: BuilderParts = { adapters: SCHEMA_ADAPTERS, config: toolConfig, checkSchema: assertReferences };

/**
 * Starts the definition of a tool.
 *
 * @example A tool, defined and called
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const add = defineTool("add")
 *   .describe("Add two numbers")
 *   .input(v.object({ a: v.number(), b: v.number() }))
 *   .handle(({ a, b }) => a + b);
 *
 * const client = testClient(createServer({ tools: [add] }));
 * console.log(await client.add({ a: 1, b: 2 })); // → 3
 * ```
 * {@link DefineTool.for} gives `ctx.env` and `ctx.principal` their types.
 *
 * @typeParam Name The tool's name, a literal.
 * @param name 1 to 64 of `A-Z a-z 0-9 _ . -`, unique on its server.
 * @returns A builder; `.describe()` and `.handle()` finish it.
 * @throws {TypeError} If the name does not fit.
 */
export const defineTool: DefineTool = /* @__PURE__ */ withFor(
  <const Name extends string>(name: Name, ...others: readonly unknown[]): EmptyToolBuilder<Name> => {
    if (isJsonObject(name) || others.length > 0) throw wrongDefinition([name, ...others], SCHEMA_ADAPTERS);
    return startTool(name, PARTS, CheckedBuilder);
  },
);
