/** The text of `createServer({ … })`, from the arguments of `new McpServer(…)`. */
import { type NewExpression, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { authText, closedText } from "./fastmcp_sessions.ts";
import { type Kind, membersOf } from "./registrations.ts";

/** Definitions of a server, as texts of the lists of `createServer()`. */
export type Lists = Readonly<Record<Kind | "middleware" | "part" | "onError" | "method", string[]>>;

/** Options that have no counterpart, and need none. */
const IGNORED: ReadonlySet<string> = new Set([
  "schemaAdapter",
  "capabilities",
  "debouncedNotificationMethods",
]);

/** Returns the text of `createServer({ … })` for `new McpServer(…)`: its information, options, definitions and wires. */
export function serverOptions(
  draft: Draft,
  created: NewExpression,
  lists: Lists,
  parts: string | undefined,
  indent: string,
): string {
  const [info, options] = created.getArguments();
  const given = membersOf(options);
  const members = [
    ...infoMembers(draft, info),
    ...optionMembers(draft, options),
    ...listMembers(lists, parts),
    ...(draft.facts.hosts === undefined ? [] : [`hosts: ${draft.facts.hosts}`]),
    // Handlers had no limit there.
    "timeoutMs: 3_600_000",
    `wires: [${wireText(draft, given?.get("capabilities"), lists.method)}]`,
  ];
  draft.note(created, "time-limit");
  const name = draft.imports.use("toolwire", "createServer");
  const separator = `${draft.eol}${indent}${draft.unit}`;
  return `${name}({${separator}${members.join(`,${separator}`)},${draft.eol}${indent}})`;
}

function infoMembers(draft: Draft, info: Node | undefined): readonly string[] {
  const members = membersOf(info);
  if (info === undefined) return [];
  if (members === undefined) return [`...${draft.render(info)}`];
  if (draft.imports.library === "fastmcp") return fastMcpMembers(draft, members);
  return [...members].filter(([name]) => !IGNORED.has(name)).map(([name, value]) => memberText(draft, name, value));
}

/** Options of FastMCP that are the same here. */
const FASTMCP_SAME: ReadonlySet<string> = new Set([
  "name",
  "version",
  "instructions",
  "logger",
  "title",
  "icons",
  "websiteUrl",
]);

/** Options of FastMCP: what has no counterpart is kept as a comment. A server that identified its callers is never open. */
function fastMcpMembers(draft: Draft, members: ReadonlyMap<string, Node>): readonly string[] {
  const { identify } = draft;
  const isProtected = ["auth", "oauth"].some((name) => members.has(name));
  for (const [name, value] of members) {
    if (name === "authenticate" || FASTMCP_SAME.has(name)) continue;
    if (name === "ping" || name === "roots") draft.note(value, "ping");
    else draft.keepText(memberOf(value), isProtected && identify === undefined ? "fastmcp-closed" : "fastmcp-option");
  }
  const same = [...members].filter(([name]) => FASTMCP_SAME.has(name));
  return [
    ...same.map(([name, value]) => memberText(draft, name, value)),
    ...(identify !== undefined ? [authText(draft, identify)] : isProtected ? [closedText(draft)] : []),
  ];
}

/** The member that a value belongs to, a method itself. */
function memberOf(value: Node): Node {
  return Node.isMethodDeclaration(value) ? value : value.getParentOrThrow();
}

function optionMembers(draft: Draft, options: Node | undefined): readonly string[] {
  if (options === undefined) return [];
  const members = membersOf(options);
  if (members === undefined) draft.todo(options, "transport-options");
  const others = [...members ?? []].filter(([name, value]) =>
    name !== "instructions" && !IGNORED.has(name) && !isCodec(name, value)
  );
  if (others.length > 0) draft.todo(options, "transport-options");
  const instructions = members?.get("instructions");
  return instructions === undefined ? [] : [memberText(draft, "instructions", instructions)];
}

/** `requestState: { verify: codec.verify }`: state is signed here. */
function isCodec(name: string, value: Node): boolean {
  return name === "requestState" &&
    [...membersOf(value) ?? []].every(([member, one]) =>
      member === "verify" && Node.isPropertyAccessExpression(one) && one.getName() === "verify"
    );
}

function listMembers(lists: Lists, parts: string | undefined): readonly string[] {
  const all = [["tools", lists.tool], ["resources", lists.resource], ["prompts", lists.prompt]] as const;
  const members = all.map(([name, texts]) => {
    const every = parts === undefined ? texts : [...texts, `...${parts}.${name}`];
    return every.length === 0 && name !== "tools" ? undefined : `${name}: [${every.join(", ")}]`;
  });
  const others = [["parts", lists.part], ["middleware", lists.middleware]] as const;
  return [
    ...members.filter((one) => one !== undefined),
    ...others.filter(([, texts]) => texts.length > 0).map(([name, texts]) => `${name}: [${texts.join(", ")}]`),
    // The last handler replaced those before it.
    ...lists.onError.slice(-1).map((text) => `onError: ${text}`),
  ];
}

function wireText(draft: Draft, capabilities: Node | undefined, methods: readonly string[]): string {
  const { imports, facts } = draft;
  const logs = imports.library === "fastmcp" && draft.hasName("log");
  const options = [
    ...(facts.path === undefined ? [] : [`path: ${facts.path}`]),
    ...(logs || membersOf(capabilities)?.has("logging") === true ? ['logging: "unnamed"'] : []),
    ...(facts.hasSessions ? [`sessions: ${imports.use("toolwire/mcp", "mcpSessions")}()`] : []),
    ...(facts.askTimeoutMs === undefined ? [] : [`askTimeoutMs: ${facts.askTimeoutMs}`]),
    ...(methods.length === 0 ? [] : [`methods: { ${methods.join(", ")} }`]),
  ];
  return `${imports.use("toolwire/mcp", "mcp")}(${options.length === 0 ? "" : `{ ${options.join(", ")} }`})`;
}

function memberText(draft: Draft, name: string, value: Node): string {
  const text = draft.render(value);
  return Node.isIdentifier(value) && text === name ? name : `${name}: ${text}`;
}
