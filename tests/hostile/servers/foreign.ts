/** Lists and patterns of other servers that have no end: the client bounds them. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createClient, type Logger, type ToolError } from "../../../mod.ts";
import { gateway } from "../../../src/entries/compose.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { webtoolsTransport } from "../../../src/entries/webtools.ts";
import { COLUMNS, type Guarantee, overCases } from "../guarantee.ts";
import { DISCOVERED, Scripted, TOOL } from "../../wires/mcp/client/scripted.ts";

/** Where the MCP servers of these tests are. */
export const URL_OF = "http://far.example/mcp";
/** A logger without output. */
export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A server with resources and prompts whose lists are given by method. */
export function serverOf(lists: Readonly<Record<string, (cursor: string | undefined) => unknown>>) {
  const discovered = { ...DISCOVERED, capabilities: { tools: {}, resources: {}, prompts: {} } };
  const empty = { tools: [TOOL], resources: [], resourceTemplates: [], prompts: [] };
  return new Scripted({
    "server/discover": () => discovered,
    ...Object.fromEntries(
      ["tools/list", "resources/list", "resources/templates/list", "prompts/list"].map((method) => [
        method,
        ({ params }) => lists[method]?.(params["cursor"] as string | undefined) ?? empty,
      ]),
    ),
  });
}

/** A transport to a scripted server. */
export function open(server: Scripted) {
  return mcpTransport(URL_OF, { fetch: server.fetch, logger: quiet });
}

/** Lists without an end, with the limit that ends them. */
const ENDLESS: Readonly<Record<string, readonly [(member: string, page: number) => object, RegExp, number]>> = {
  "pages of nothing": [(member, page) => ({ [member]: [], nextCursor: `${page}` }), /more than 1000 pages/, 1_000],
  "pages of one cursor": [(member) => ({ [member]: [TOOL], nextCursor: "again" }), /repeats a cursor/, 2],
  "pages of two cursors": [(member, page) => ({ [member]: [], nextCursor: `${page % 2}` }), /repeats a cursor/, 3],
  "pages of four megabytes": [
    (member, page) => ({
      [member]: [{ ...TOOL, uri: "x:y", description: "x".repeat(4_000_000) }],
      nextCursor: `${page}`,
    }),
    /more than 16777216 characters/,
    5,
  ],
  "cursors of four megabytes": [
    (member, page) => ({ [member]: [], nextCursor: `${page}${"x".repeat(4_000_000)}` }),
    /more than 16777216 characters/,
    5,
  ],
  "a page of 400,000 entries": [(member) => ({ [member]: new Array(400_000).fill(1) }), /more than 100000 entries/, 1],
  "pages of 40,000 entries": [
    (member, page) => ({ [member]: new Array(40_000).fill({}), nextCursor: `${page}` }),
    /more than 100000 entries/,
    3,
  ],
};

async function checkList([pageOf, message, pages]: (typeof ENDLESS)[string]): Promise<void> {
  let sent = 0;
  const tools = open(serverOf({ "tools/list": () => pageOf("tools", sent++) }));
  await rejects(createClient(tools, { retry: { attempts: 0 } }).$.list(), (error: ToolError) => {
    deepStrictEqual([error.name, error.code], ["ToolError", "result_too_large"]);
    match(error.message, message);
    ok(error.message.includes("tools/list"));
    return true;
  });
  strictEqual(sent, pages);
  tools.close();
  sent = 0;
  const resources = open(serverOf({ "resources/list": () => pageOf("resources", sent++) }));
  await rejects(gateway("evil", resources), (error: ToolError) => {
    strictEqual(error.code, "result_too_large");
    match(error.message, /"evil"/);
    match(error.message, message);
    return true;
  });
  strictEqual(sent, pages);
}

/** Patterns that are known to take exponential or high polynomial time, with the text that makes them. */
export const SLOW: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${"a".repeat(50_000)}!`],
  ["^(a*)*$", `${"a".repeat(50_000)}!`],
  ["^(a|a)*$", `${"a".repeat(50_000)}!`],
  ["^(a|aa)+$", `${"a".repeat(50_000)}!`],
  ["^(a|a?)+$", `${"a".repeat(50_000)}!`],
  ["^(.*a){20}$", `${"a".repeat(50_000)}!`],
  ["^(.*)*=$", "x".repeat(50_000)],
  ["(x+x+)+y", "x".repeat(50_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(50_000)],
  [`^${"a?".repeat(40)}${"a".repeat(40)}$`, "a".repeat(39)],
  ["^(?:a{1,5}){1,30}$", `${"a".repeat(60)}!`],
  [".*.*.*.*=.*", "x".repeat(50_000)],
  ["\\s+$", `${" ".repeat(200_000)}x`],
  ["^[\\w.-]+@[\\w.-]+\\.[\\w.-]+$", `a@${".".repeat(100_000)}!`],
  ["^(\\w+\\s?)*$", `${"word ".repeat(10_000)}!`],
  ["^(?=(a+)+$)", `${"a".repeat(50_000)}!`],
  ["^(a+)+\\1$", `${"a".repeat(50_000)}!`],
  ["^(?<n>a+)+\\k<n>$", `${"a".repeat(50_000)}!`],
  ["^((ab)*)+$", `${"ab".repeat(20_000)}!`],
  ["^([0-9]+)*(\\.[0-9]+)*$", `${"1".repeat(50_000)}!`],
  ["^(?:(?:){100000}){100000}$", "a"],
];

/** A webtool with this schema of its arguments, and the arguments that it received. */
export function webtoolOf(requestSchema: unknown) {
  const sent: unknown[] = [];
  const metadata = { name: "w", description: "W", version: "1.0.0", actions: [{ name: "t", requestSchema }] };
  const fetch = (_: string, { method, body }: RequestInit) => {
    if (method === "GET") return Promise.resolve(Response.json(metadata));
    sent.push(JSON.parse(String(body)).request);
    return Promise.resolve(Response.json({ status: "ok", data: "sent" }));
  };
  return {
    sent,
    call: (args: unknown) => createClient(webtoolsTransport("http://far.example/w", { fetch })).$.call("t", args),
  };
}

/** A schema of an object with the member `text`. */
export const objectOf = (text: unknown) => ({ type: "object", properties: { text } });

async function checkPattern([pattern, text]: (typeof SLOW)[number]): Promise<void> {
  for (
    const schema of [objectOf({ type: "string", pattern }), { type: "object", patternProperties: { [pattern]: {} } }]
  ) {
    const { sent, call } = webtoolOf(schema);
    strictEqual(await call({ text, [text]: 1 }), "sent", pattern);
    strictEqual(sent.length, 1);
  }
}

const openNothing = () => Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() });
const inProcess = (column: string) => ({ column, where: "in process", open: openNothing });
const except = (column: string, reason: string) =>
  Object.fromEntries(COLUMNS.filter((name) => name !== column).map((name) => [name, reason]));

export const guarantees: readonly Guarantee[] = [
  {
    name: "endless-lists",
    statement:
      "A list without end, over the limits or with a repeated cursor is one error that names the limit, in the client and in a gateway.",
    tests: [overCases(inProcess("MCP"), ENDLESS, (_, one) => checkList(one))],
    none: {
      ...except("MCP", "its list is one response, within `maxResponseBytes` and the limits of a gateway"),
      stdio: "its client reads lists as that of MCP does, by the same code",
    },
    also: ["tests/hostile/servers/lists_test.ts"],
  },
  {
    name: "slow-patterns",
    statement: "Patterns of other servers take linear time, or are left to that server.",
    tests: [
      overCases(
        inProcess("Webtools"),
        Object.fromEntries(SLOW.map((one) => [one[0], one])),
        (_, one) => checkPattern(one),
      ),
    ],
    none: except("Webtools", "its client does not validate; a gateway does: tests/hostile/servers/patterns_test.ts"),
    also: ["tests/hostile/servers/patterns_test.ts"],
  },
];
