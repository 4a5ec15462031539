/** Types of resources, templates of resources and prompts. Their lists are foreign: members may have any type. */
import { keyText, literalText } from "../../../src/core/json_schema/type_text.ts";
import { isJsonObject, type Members } from "../../../src/internal/json.ts";
import type { Contents } from "../targets/contents.ts";
import { describeSchema, docComment } from "./doc_comment.ts";

/** Returns a copy that is sorted by the UTF-16 code units of its keys, so that no locale changes the order. */
export function sortBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return items.toSorted((one, other) => keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0);
}

/** Returns the text of `export interface Resources`: the media type of each resource, by URI. */
export function resourceTypes({ resources = [] }: Contents): string {
  return declare("Resources", "Media types of resources, by URI.", resources, "uri", ({ mimeType }) => {
    return typeof mimeType === "string" ? literalText(mimeType) : "string | undefined";
  });
}

/** Returns the text of `export interface ResourceTemplates`: the variables of each, by URI template. */
export function templateTypes({ resourceTemplates = [] }: Contents): string {
  const comment = "Variables of templates of resources, by URI template.";
  return declare("ResourceTemplates", comment, resourceTemplates, "uriTemplate", ({ uriTemplate }) => {
    return membersText(variablesOf(String(uriTemplate)));
  });
}

/** Returns the text of `export interface Prompts`: the arguments of each prompt, by name. All of them are strings. */
export function promptTypes({ prompts = [] }: Contents): string {
  return declare("Prompts", "Arguments of prompts, by name.", prompts, "name", ({ arguments: declared }) => {
    const args = Array.isArray(declared) ? declared.filter(isJsonObject) : [];
    return membersText(args.map((arg) => {
      const { name, required, title, description } = arg;
      return { name: String(name), isRequired: required === true, type: "string", schema: { title, description } };
    }));
  });
}

function declare(
  name: string,
  comment: string,
  items: readonly unknown[],
  keyMember: string,
  typeOf: (item: Members) => string,
): string {
  const byKey = new Map(
    items.filter(isJsonObject).filter((item) => typeof item[keyMember] === "string").map((item) => {
      return [item[keyMember] as string, item] as const;
    }),
  );
  const members = sortBy([...byKey], ([key]) => key).map(([key, item]) => {
    const { title, description } = item;
    return `${docComment(describeSchema({ title, description }), "  ")}  readonly ${keyText(key)}: ${typeOf(item)};\n`;
  });
  return `/** ${comment} */\nexport interface ${name} {${members.length === 0 ? "" : `\n${members.join("")}`}}\n`;
}

/** An argument of a prompt, or a variable of a template, as a member of a written type. */
interface TextMember {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly schema?: unknown;
}

function membersText(members: readonly TextMember[]): string {
  const distinct = sortBy([...new Map(members.map((member) => [member.name, member])).values()], ({ name }) => name);
  if (distinct.length === 0) return "{}";
  const lines = distinct.map(({ name, isRequired, type, schema }) => {
    return `${docComment(describeSchema(schema), "    ")}    readonly ${keyText(name)}${
      isRequired ? "" : "?"
    }: ${type};\n`;
  });
  return `{\n${lines.join("")}  }`;
}

/** Variables of a URI template (RFC 6570). Those of a query may be missing; exploded ones may be lists. */
function variablesOf(template: string): TextMember[] {
  return [...template.matchAll(/\{([+#./;?&]?)([^{}]*)\}/g)].flatMap(([, operator = "", list = ""]) => {
    return list.split(",").filter((variable) => variable !== "").map((variable) => ({
      name: variable.replace(/\*$|:\d+$/, ""),
      isRequired: operator !== "?" && operator !== "&",
      type: variable.endsWith("*") ? "string | readonly string[]" : "string",
    }));
  });
}
