/** What only FastMCP has: lists of arguments, sessions as parameters, and `start()`. */
import { type CallExpression, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { stdioText } from "./fastmcp_sessions.ts";
import { isFn } from "./functions.ts";
import { bare, type Kind, membersOf, resolveConst } from "./registrations.ts";

/** One argument of a prompt or a template. */
interface Argument {
  readonly name: string;
  readonly members: ReadonlyMap<string, Node>;
}

/** The arguments of a list. `undefined` if it is not a list of object literals with names. */
function readArguments(list: Node | undefined): readonly Argument[] | undefined {
  const array = bare(resolveConst(list));
  if (!Node.isArrayLiteralExpression(array)) return undefined;
  const read = array.getElements().map((element) => {
    const members = membersOf(bare(element));
    const name = bare(members?.get("name"));
    return members !== undefined && Node.isStringLiteral(name) ? { name: name.getLiteralValue(), members } : undefined;
  });
  return read.every((one) => one !== undefined) ? read : undefined;
}

/** Text of the JSON Schema for the arguments of a prompt, with its type. `undefined` if they are not known here. */
export function argumentsSchema(draft: Draft, list: Node): string | undefined {
  const read = readArguments(list);
  if (read === undefined) return undefined;
  const isRequired = ({ members }: Argument) => members.get("required")?.getText() === "true";
  const key = (name: string) => /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const properties = read.map(({ name, members }) => {
    const kept = ["description", "enum"].flatMap((member) => {
      const value = members.get(member);
      return value === undefined ? [] : [`${member}: ${draft.render(value)}`];
    });
    return `${key(name)}: { ${['type: "string"', ...kept].join(", ")} }`;
  });
  const required = read.filter(isRequired).map(({ name }) => JSON.stringify(name)).join(", ");
  const type = read.map((one) => `${key(one.name)}${isRequired(one) ? "" : "?"}: string`).join("; ");
  const jsonSchema = draft.imports.use("toolwire/json-schema", "jsonSchema");
  const schema = `{ type: "object", properties: { ${properties.join(", ")} }, required: [${required}] }`;
  return `${jsonSchema}${isScript(draft) ? "" : `<{ ${type} }>`}(${schema})`;
}

/** Text of the completers of arguments, which return the values alone, and of those with choices. `undefined` without any. */
export function completersText(draft: Draft, list: Node | undefined): string | undefined {
  const texts = (readArguments(list) ?? []).flatMap(({ name, members }) => {
    const [complete, choices] = [members.get("complete"), members.get("enum")];
    if (complete === undefined && choices !== undefined) {
      return [`${JSON.stringify(name)}: ${choicesText(draft, choices)}`];
    }
    if (complete === undefined) return [];
    typeParameter(draft, complete);
    return [`${JSON.stringify(name)}: async (value) => (await (${functionOf(draft, complete)})(value)).values`];
  });
  return texts.length === 0 ? undefined : `{ ${texts.join(", ")} }`;
}

/** FastMCP completes the choices of an argument by itself. */
function choicesText(draft: Draft, choices: Node): string {
  return `(value) => ${draft.render(choices)}.filter((one) => one.startsWith(value))`;
}

/** A function that is called at once gets no type from its place. */
function typeParameter(draft: Draft, complete: Node): void {
  const [value] = isFn(complete) ? complete.getParameters() : [];
  if (value === undefined || value.getTypeNode() !== undefined || isScript(draft)) return;
  const isBare = Node.isArrowFunction(complete) && !/^(async\s*)?\(/.test(complete.getText());
  draft.replace(value, isBare ? `(${value.getText()}: string)` : `${value.getText()}: string`);
}

function isScript(draft: Draft): boolean {
  return /\.[cm]?jsx?$/.test(draft.source.getFilePath());
}

function functionOf(draft: Draft, node: Node): string {
  const text = draft.render(node);
  return Node.isMethodDeclaration(node) ? text.replace(/^(async\s+)?\w+/, "$1function ") : text;
}

/** Position of the session among the parameters of a `load`; tools have it in their context. */
export function sessionPosition(kind: Kind | "helper", isTemplate: boolean): number | undefined {
  if (kind === "prompt") return 1;
  return kind === "resource" ? Number(isTemplate) : undefined;
}

/** Whether the text of a string is the path of MCP that both libraries have by default. */
export function isDefaultPath(text: string): boolean {
  return /^["'`]\/mcp["'`]$/.test(text);
}

/** Converts `server.start({ transportType, httpStream })` to `serveStdio(server)` or `serve(server, { port, hostname })`. */
export function convertStart(draft: Draft, server: string, call: CallExpression): void {
  const [options] = call.getArguments();
  const members = membersOf(bare(options));
  const kind = bare(members?.get("transportType"));
  const transport = options === undefined ? "stdio" : Node.isStringLiteral(kind) ? kind.getLiteralValue() : undefined;
  if (transport === "stdio") return draft.replace(call, stdioText(draft, server, call));
  const http = bare(members?.get("httpStream"));
  const given = http === undefined ? new Map<string, Node>() : membersOf(http);
  if (transport !== "httpStream" || given === undefined) return draft.todo(call, "transport");
  const { port, host, endpoint, stateless: _, ...others } = Object.fromEntries(given) as Record<
    string,
    Node | undefined
  >;
  const path = endpoint?.getText();
  const isKnownPath = path === undefined || isDefaultPath(path) || path === draft.facts.path;
  if (!isKnownPath || Object.keys(others).length > 0) draft.keepText(call, "transport-options");
  const texts = [
    `port: ${port === undefined ? "8080" : draft.render(port)}`,
    ...(host === undefined ? [] : [`hostname: ${draft.render(host)}`]),
  ];
  draft.replace(call, `${draft.imports.use("toolwire/serve", "serve")}(${server}, { ${texts.join(", ")} })`);
}
