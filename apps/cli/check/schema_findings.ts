/** Findings in the schemas of a tool. */
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { readContract } from "../../../src/core/call/listed_contract.ts";
import { assertSchema } from "../../../src/core/json_schema/assert.ts";
import { subschemasOf } from "../../../src/core/json_schema/subschemas.ts";
import { asObject, isJsonObject, type Members } from "../../../src/internal/json.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** Levels of nesting that a model fills in without mistakes, as a rule of thumb. */
const MAX_NESTING = 5;
/** Findings of one kind in one schema; a foreign schema may have thousands. */
const MAX_FINDINGS = 5;

/** Finds invalid schemas of arguments and output, parts without a type, deep nesting, and lists without a limit. */
export function schemaFindings(tool: ListedTool): Finding[] {
  const { name, inputSchema, outputSchema } = tool;
  const find = findingsOf(name);
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object") {
    return [find("schema", "error", 'inputSchema is not an object schema: write { "type": "object", … }', "arguments")];
  }
  const output = isJsonObject(outputSchema) ? outputSchema : undefined;
  return [
    ...validity(name, "arguments", inputSchema),
    ...output === undefined ? [] : validity(name, "output", output),
    ...openness(name, "arguments", inputSchema),
    ...output === undefined ? [] : openness(name, "output", output),
    ...nesting(name, inputSchema),
    ...outputFindings(tool, output),
  ];
}

function validity(tool: string, place: string, schema: Members): Finding[] {
  try {
    assertSchema(schema);
  } catch (thrown) {
    const problem = (thrown as Error).message.replace("Cannot use this JSON Schema: ", "");
    return [findingsOf(tool)("schema", "error", problem, place)];
  }
  const properties = asObject(schema["properties"]);
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const unknown = required.filter((name) => typeof name === "string" && !Object.hasOwn(properties, name));
  if (unknown.length === 0 || schema["$ref"] !== undefined || schema["allOf"] !== undefined) return [];
  return [findingsOf(tool)("schema", "warning", `required names ${unknown.join(", ")}, which is not declared`, place)];
}

/** Finds members without a type, and objects that declare nothing. */
function openness(tool: string, place: string, schema: Members): Finding[] {
  const findings: Finding[] = [];
  const find = findingsOf(tool);
  if (place === "arguments" && isOpenObject(schema)) {
    const advice = 'declare the arguments, or { "properties": {}, "additionalProperties": false } if there are none';
    findings.push(find("open-schema", "note", `any arguments are accepted: ${advice}`, place));
  }
  for (const [path, part] of partsOf(schema, place)) {
    if (findings.length >= MAX_FINDINGS) break;
    if (isUntyped(part)) findings.push(find("open-schema", "warning", "it may be anything: give it a type", path));
    else if (isOpenObject(part)) {
      findings.push(find("open-schema", "warning", "it is an object without declared members: declare them", path));
    }
  }
  return findings;
}

/** Yields the members of a schema, at any depth, with their places. */
function* partsOf(schema: Members, place: string): Generator<readonly [path: string, part: unknown]> {
  for (const [name, part] of Object.entries(asObject(schema["properties"]))) {
    const path = `${place}.${name}`;
    yield [path, part];
    if (isJsonObject(part)) yield* partsOf(part, path);
  }
  const { items } = schema;
  if (items === undefined || Array.isArray(items)) return;
  yield [`${place}[]`, items];
  if (isJsonObject(items)) yield* partsOf(items, `${place}[]`);
}

function isUntyped(part: unknown): boolean {
  if (!isJsonObject(part)) return part === true;
  return !Object.keys(part).some((name) => RESTRICTING.has(name));
}

const RESTRICTING: ReadonlySet<string> = new Set(
  "type enum const anyOf oneOf allOf not $ref $dynamicRef if properties items prefixItems required".split(" "),
);

function isOpenObject(part: unknown): boolean {
  if (!isJsonObject(part) || part["type"] !== "object") return false;
  const { properties, additionalProperties: others } = part;
  if (Object.keys(asObject(properties)).length > 0) return false;
  if (["anyOf", "oneOf", "allOf", "$ref", "patternProperties"].some((name) => part[name] !== undefined)) return false;
  return others === undefined || others === true || (isJsonObject(others) && Object.keys(others).length === 0);
}

function nesting(tool: string, schema: Members): Finding[] {
  const depth = depthOf(schema);
  if (depth <= MAX_NESTING) return [];
  return [
    findingsOf(tool)("large-schema", "warning", `arguments nest ${depth} levels deep: flatten them`, "arguments"),
  ];
}

/** Levels of objects and arrays. Iterative, since foreign schemas may be deep. */
function depthOf(schema: Members): number {
  let deepest = 0;
  const open: (readonly [part: Members, depth: number])[] = [[schema, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, depth] = next;
    const isLevel = part["properties"] !== undefined || part["items"] !== undefined;
    deepest = Math.max(deepest, depth + Number(isLevel));
    for (const [child] of subschemasOf(part)) open.push([child, depth + Number(isLevel)]);
  }
  return deepest;
}

function outputFindings(tool: ListedTool, output: Members | undefined): Finding[] {
  const find = findingsOf(tool.name);
  if (output === undefined) {
    return [find("open-schema", "note", "it has no schema, so that clients know no type", "output")];
  }
  const schema = readContract(tool).wrapsOutput ? asObject(asObject(output["properties"])["result"]) : output;
  if (schema["type"] !== "array" || schema["maxItems"] !== undefined) return [];
  const advice = "limit it by .answer(budget({ maxTokens })) of toolwire/answers, or by maxItems";
  return [find("unbounded-output", "warning", `it is a list of any length: ${advice}`, "output")];
}
