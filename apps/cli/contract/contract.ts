/**
 * Writes the contract of a server: one file of types, which `createClient<Contract>(…)` takes.
 *
 * The text depends on the lists alone, in any order, so that it can be compared with an earlier one.
 */
import { readContract } from "../../../src/core/call/listed_contract.ts";
import { isSystemTool, type ListedTool } from "../../../src/core/call/transport.ts";
import type { SchemaPlace } from "../../../src/core/json_schema/type_node.ts";
import { keyText } from "../../../src/core/json_schema/type_text.ts";
import { sha256, toHex } from "../../../src/internal/encoding.ts";
import { asObject, canonicalJson, OBJECT_MEMBERS } from "../../../src/internal/json.ts";
import type { Contents } from "../targets/contents.ts";
import { describeSchema, docComment } from "./doc_comment.ts";
import { promptTypes, resourceTypes, sortBy, templateTypes } from "./content_types.ts";
import { TypeNames } from "./type_names.ts";
import { declareTypes, type TypeUse } from "./type_writer.ts";

/** The text of a contract, which `toolwire types` prints or writes to a file. */
export interface WrittenContract {
  readonly text: string;
  /** SHA-256 of what the types are made from, in hexadecimal. The order of a list does not change it. */
  readonly digest: string;
  /** Names of tools that the text leaves out: a client cannot have functions such as `$` and `toString`. */
  readonly leftOut: readonly string[];
}

/** Returns the contract for the lists of a server, as text with a digest; no file is written. Tools that clients call themselves are omitted. */
export async function writeContract(lists: Contents): Promise<WrittenContract> {
  const tools = sortBy((lists.tools ?? []).filter((tool) => !isToolOfClient(tool)), ({ name }) => name);
  const leftOut = tools.map(({ name }) => name).filter((name) => name === "$" || OBJECT_MEMBERS.has(name));
  const contents = [resourceTypes(lists), templateTypes(lists), promptTypes(lists)];
  const digest = await digestOf(tools, contents);
  const names = new TypeNames();
  const written = tools.filter(({ name }) => !leftOut.includes(name)).map((tool) => writeTool(tool, names));
  const text = [
    headOf(digest),
    ...written.flatMap(({ declarations }) => declarations),
    interfaceOf("Tools", "Tools, by name.", written.map(({ member }) => member)),
    ...contents,
    CONTRACT,
  ].join("\n");
  return { text, digest, leftOut };
}

const CONTRACT = `/** The contract, for \`createClient<Contract>(…)\`. */
export interface Contract {
  /** Types only, for the client. */
  readonly "~tools"?: readonly {
    readonly [Name in keyof Tools]: {
      readonly name: Name;
      readonly "~types"?: Tools[Name];
      readonly "~definition": never;
    };
  }[keyof Tools][];
  readonly resources: Resources;
  readonly resourceTemplates: ResourceTemplates;
  readonly prompts: Prompts;
}
`;

function headOf(digest: string): string {
  return `// deno-fmt-ignore-file
// deno-lint-ignore-file
/* eslint-disable */
/**
 * Contract of a server, written by \`toolwire types\`. Run it again to update this file; with --check it compares.
 *
 * Digest: sha256-${digest}
 */
`;
}

/** Whether a tool is Toolwire's `redeem`, `cancel` or `more`, by name and arguments. Clients call them; contracts and checks omit them. */
export function isToolOfClient(tool: ListedTool): boolean {
  const names = Object.keys(asObject(tool.inputSchema?.["properties"])).join();
  return isSystemTool(tool) || (tool.name === "more" && names === "handle");
}

/** Digest of what the contract is written from. */
async function digestOf(tools: readonly ListedTool[], contents: readonly string[]): Promise<string> {
  const read = tools.map((tool) => {
    const { name, title, description, inputSchema, outputSchema } = tool;
    return { name, title, description, inputSchema, outputSchema, ...readContract(tool) };
  });
  return toHex(await sha256(canonicalJson([read, contents])));
}

/** A tool as text of TypeScript. */
interface WrittenTool {
  readonly declarations: readonly string[];
  /** Member of the interface of tools. */
  readonly member: string;
}

function writeTool(tool: ListedTool, names: TypeNames): WrittenTool {
  const { name, inputSchema, outputSchema } = tool;
  const { partialSchema, errors = {}, promises = "never", wrapsOutput } = readContract(tool);
  const declarations: string[] = [];
  const declare = (place: SchemaPlace, use: TypeUse, ...parts: readonly string[]) => {
    const type = names.add(name, ...parts);
    declarations.push(...declareTypes({ ...place, name: type, use }, names));
    return type;
  };
  const output = outputSchema && placeOf(outputSchema, wrapsOutput === true);
  const types = [
    `input: ${declare(placeOf(inputSchema ?? { type: "object" }), "input", "input")}`,
    `output: ${output ? declare(output, "output", "output") : "unknown"}`,
    `partial: ${partialSchema ? declare(placeOf(partialSchema), "output", "partial") : "unknown"}`,
    `errors: ${errorsText(errors, (code, schema) => declare(placeOf(schema), "output", code, "error"))}`,
    `promises: ${JSON.stringify(promises)}`,
  ];
  const comment = docComment(describeSchema({ title: tool["title"], description: tool.description }), "  ");
  const lines = types.map((line) => `    readonly ${line};\n`).join("");
  return { declarations, member: `${comment}  readonly ${keyText(name)}: {\n${lines}  };\n` };
}

function placeOf(schema: Readonly<Record<string, unknown>>, isWrapped: boolean = false): SchemaPlace {
  return { schema: isWrapped ? asObject(schema["properties"])["result"] : schema, root: schema };
}

/** Data of failures by code. Codes are sorted, and a failure without data has `undefined`. */
function errorsText(
  errors: NonNullable<ReturnType<typeof readContract>["errors"]>,
  declare: (code: string, schema: Readonly<Record<string, unknown>>) => string,
): string {
  const members = sortBy(Object.entries(errors), ([code]) => code).map(([code, schema]) => {
    return `readonly ${keyText(code)}: ${schema === null ? "undefined" : declare(code, schema)}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function interfaceOf(name: string, comment: string, members: readonly string[]): string {
  const body = members.length === 0 ? " {}" : ` {\n${members.join("")}}`;
  return `/** ${comment} */\nexport interface ${name}${body}\n`;
}
