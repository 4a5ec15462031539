/** Tools as declarations of TypeScript, which models read before they write a program. */
import type { Peer } from "../../core/call/call.ts";
import { typeTextOf } from "../../core/json_schema/signature.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { adviseUnknown, SEARCH_TOOLS } from "../../inspection/tool_search/search_form.ts";
import { shorten } from "../../internal/text.ts";
import type { CallableTools } from "./callable_tools.ts";

const MAX_SENTENCE = 300;

/** Answer of `describe_tools`. */
export interface DescribedTools {
  /** Declarations of the tools, in TypeScript. */
  readonly declarations: string;
  /** Names that the caller can call no tool by, with advice. */
  readonly unknown?: Readonly<Record<string, string>>;
}

/** Describes tools that a caller may call in programs. Others are unknown, as for a search. */
export function describeTools(
  names: readonly string[],
  callable: CallableTools,
  peer: Peer,
): DescribedTools {
  const texts: string[] = [];
  const unknown = new Map<string, string>();
  for (const name of new Set(names)) {
    const tool = callable.findFor(name, peer);
    if (tool !== undefined) texts.push(declarationOf(tool, callable));
    else {
      const { search } = callable;
      unknown.set(name, adviseUnknown(search.closest(name, peer), search.nearest(name, peer), SEARCH_TOOLS));
    }
  }
  return {
    declarations: texts.join("\n"),
    ...(unknown.size > 0 && { unknown: Object.fromEntries(unknown) }),
  };
}

/** The declaration of a tool: a comment, and how a program calls it. */
export function declarationOf(tool: ToolDefinition, callable: CallableTools): string {
  const { name, description, inputSchema, output } = tool;
  const [first = ""] = description.split("\n");
  const [example] = Array.isArray(inputSchema["examples"]) ? inputSchema["examples"] as readonly unknown[] : [];
  const lines = [
    first.length > MAX_SENTENCE ? `${first.slice(0, MAX_SENTENCE)}…` : first,
    ...(tool.errors.size === 0 ? [] : [`@throws ${failuresOf(tool)}`]),
    ...(example === undefined ? [] : [`@example ${shorten(JSON.stringify(example), MAX_SENTENCE)}`]),
  ].map((line) => line.replaceAll("*/", "* /"));
  const comment = lines.length === 1 ? `/** ${lines[0]} */` : `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */`;
  const result = output === undefined ? "unknown" : typeTextOf(output.jsonSchema);
  const type = `(input: ${typeTextOf(inputSchema)}) => Promise<${result}>`;
  return `${comment}\n${callable.expressionOf(name)}: ${type};`;
}

/** The declared failures of a tool, as the union of what its calls throw. */
function failuresOf({ errors }: ToolDefinition): string {
  return [...errors].map(([code, data]) =>
    `{ code: ${JSON.stringify(code)}${data === undefined ? "" : `, data: ${typeTextOf(data.jsonSchema)}`} }`
  ).join(" | ");
}
