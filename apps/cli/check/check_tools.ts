/** Checks a list of tools by all rules. */
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { estimateTokens, explainSchema, type SchemaVendor } from "../../../src/entries/agents.ts";
import { estimateTextTokens } from "../../../src/internal/token_estimate.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import { isToolOfClient } from "../contract/contract.ts";
import { type Finding, type FindingLevel, findingsOf } from "./finding.ts";
import { schemaFindings } from "./schema_findings.ts";
import { annotationFindings, descriptionFindings, hiddenTextFindings, nameFindings } from "./text_findings.ts";

/** Vendors whose strict form of schemas `toolwire check` tests, and values of `--for`. */
export const VENDORS: readonly SchemaVendor[] = ["openai", "anthropic", "gemini"];

/** Options of {@link checkTools}. */
export interface CheckOptions {
  /** Vendors whose refusals of a schema are warnings. Those of the others are notes. */
  readonly vendors: readonly SchemaVendor[];
  /** Maximum size of the list, in tokens. A larger one is a warning. */
  readonly budget: number;
}

/** Result of {@link checkTools}: findings by tool, then those of the list, and its size. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  /** Estimated size of the list in tokens, system tools included. */
  readonly tokens: number;
}

/** Maximum size of one tool, in tokens. */
const MAX_TOOL_TOKENS = 1_000;

/** Checks listed tools by all rules of `CHECK_RULES`, without calling them. `redeem`, `cancel` and `more` of Toolwire are not checked. */
export async function checkTools(tools: readonly ListedTool[], options: CheckOptions): Promise<CheckReport> {
  const own = tools.filter((tool) => !isToolOfClient(tool));
  const tokens = await estimateTokens(tools);
  return { findings: [...own.flatMap((tool) => checkTool(tool, options)), ...checkList(own, tokens, options)], tokens };
}

function checkTool(tool: ListedTool, options: CheckOptions): Finding[] {
  const schemas = schemaFindings(tool);
  return [
    ...nameFindings(tool),
    ...descriptionFindings(tool),
    ...hiddenTextFindings(tool),
    ...annotationFindings(tool),
    ...schemas,
    ...sizeFindings(tool),
    // What is not a schema cannot be converted.
    ...schemas.some(({ rule, level }) => rule === "schema" && level === "error") ? [] : vendorFindings(tool, options),
  ];
}

function sizeFindings(tool: ListedTool): Finding[] {
  const tokens = estimateTextTokens(JSON.stringify(tool));
  if (tokens <= MAX_TOOL_TOKENS) return [];
  return [
    findingsOf(tool.name)("large-schema", "warning", `it takes about ${tokens} tokens of each request: shorten it`),
  ];
}

function vendorFindings(tool: ListedTool, { vendors }: CheckOptions): Finding[] {
  if (!isJsonObject(tool.inputSchema)) return [];
  return VENDORS.flatMap((vendor): Finding[] => {
    const level: FindingLevel = vendors.includes(vendor) ? "warning" : "note";
    const { refused } = explainSchema(tool, vendor);
    if (refused === undefined) return [];
    const place = refused.pointer === "" ? "arguments" : `arguments, at ${refused.pointer}`;
    return [findingsOf(tool.name)(vendor, level, `it is not sent in strict form: ${refused.reason}`, place)];
  });
}

function checkList(tools: readonly ListedTool[], tokens: number, { budget }: CheckOptions): Finding[] {
  const find = findingsOf(undefined);
  const findings: Finding[] = [];
  if (tokens > budget) {
    const advice = "shorten it, or list a selection with discover() of toolwire/discovery";
    findings.push(find("list-size", "warning", `the list takes about ${tokens} tokens of ${budget}: ${advice}`));
  }
  for (const { name } of repeatedBy(tools, ({ name }) => name.toLowerCase())) {
    findings.push(findingsOf(name)("name", "error", "another tool has this name, or one that differs in case alone"));
  }
  const described = tools.filter(({ description }) => typeof description === "string" && description.trim() !== "");
  for (const { name } of repeatedBy(described, ({ description }) => String(description).trim())) {
    findings.push(
      findingsOf(name)("description", "warning", "another tool has the same description: say how they differ"),
    );
  }
  return findings;
}

/** Items whose key an earlier item has. */
function repeatedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const isRepeated = seen.has(keyOf(item));
    seen.add(keyOf(item));
    return isRepeated;
  });
}
