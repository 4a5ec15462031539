/** What is asked of each adapter: a call, and what the model and the handler got of it, in a word for the table. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { Script } from "../frameworks.ts";
import type { Api, JsonRecord, SeenFile, SeenResult } from "./apis.ts";
import { PDF, PNG, WAV } from "./tools.ts";

/** What left for the model, and what arrived at the handlers. */
export interface View {
  /** Result of the last call in the last request. */
  readonly result: SeenResult | undefined;
  /** Bodies of all requests. */
  readonly bodies: readonly JsonRecord[];
  /** Calls that the handlers received, as `[tool, arguments]`. */
  readonly received: readonly (readonly [string, unknown])[];
}

/** Runs an agent with a script. */
export type RunCase = (script: Script, setting?: CaseSetting) => Promise<View>;

/** How a case is run. */
export interface CaseSetting {
  /** Options of the adapter. */
  readonly options?: object;
  /** Whether the server has many tools. */
  readonly hasMany?: boolean;
  /** Whether the client answers questions. */
  readonly answers?: boolean;
}

/** What the suite knows of an adapter. */
export interface AdapterTraits {
  /** The vendor's interface. */
  readonly api: Api;
  /** Kinds of files that the model gets as such; others are named by type and size. */
  readonly takes: readonly SeenFile["kind"][];
  /** Whether the model gets the vendor's mark of errors: some interfaces have none, and some frameworks do not pass it on. */
  readonly marksErrors: boolean;
  /** Who asks before a destructive call: the framework, or the option `approve`. */
  readonly asks: "framework" | "approve";
  /**
   * How deferred tools are called: by `call_tool`, by it and `call_destructive_tool`, or by their names, as the vendor or framework loads
   * them; or the host defers by itself.
   */
  readonly deferred: "call_tool" | "two" | "loads" | "host";
}

/** A case: a heading of the table, and what is seen, as a word. Throws if something is lost. */
export interface ModelCase {
  /** Heading of the column. */
  readonly name: string;
  readonly see: (run: RunCase, traits: AdapterTraits) => Promise<string>;
}

/** The cases, in the order of the table. */
export const CASES: readonly ModelCase[] = [
  { name: "text", see: seesText("text", {}, /^Sun over Rome$/, "text") },
  { name: "JSON", see: seesText("json", {}, /"degrees":21/, "JSON") },
  { name: "image", see: seesFile("image", PNG, "image/png", /The chart of May/) },
  { name: "`.render()`", see: seesFile("rendered", PNG, "image/png", /A chart of 3 points/) },
  { name: "file in a value", see: seesFile("file_in_value", PNG, "image/png", /"month":"May"/) },
  { name: "PDF", see: seesFile("pdf", PDF, "application/pdf", /The report of May/) },
  { name: "audio", see: seesFile("audio", WAV, "audio/wav") },
  { name: "text resource", see: seesText("resource", {}, /# Notes of May/, "text") },
  { name: "failure", see: seesError("fail", {}, /locked.*The door is locked[^]*Ada/) },
  { name: "masked error", see: seesError("break", {}, /internal/) },
  { name: "wrong arguments", see: seesError("count", { count: "many" }, /invalid_input[^]*count/) },
  { name: "`null` for optional", see: dropsNull },
  { name: "question", see: seesQuestion },
  { name: "promise", see: seesText("promise", {}, /^kept promise$/, "awaited") },
  { name: "destructive tool", see: asksBefore },
  { name: "100 deferred tools", see: searches },
];

function seesText(name: string, args: JsonRecord, text: RegExp, word: string): ModelCase["see"] {
  return async (run) => {
    const { result } = await run([[{ name, args }]]);
    match(result?.text ?? "", text);
    ok(result?.isError !== true, "marked as an error");
    return word;
  };
}

/** A file is one for the model, or its type and size are named: never characters of base64. */
function seesFile(name: string, data: string, mimeType: string, text?: RegExp): ModelCase["see"] {
  return async (run, { takes }) => {
    const { result, bodies } = await run([[{ name, args: {} }]]);
    ok(result !== undefined, "no result");
    if (text !== undefined) match(result.text, text);
    ok(!result.text.includes(data.slice(0, 24)), "base64 as text");
    const [file] = result.files;
    const [top] = mimeType.split("/");
    const kind = takes.find((one) => one === (top === "application" ? "file" : top));
    if (kind === undefined) {
      strictEqual(file, undefined);
      match(result.text, new RegExp(`${mimeType}, \\d+ bytes`));
      strictEqual(JSON.stringify(bodies).includes(data), false);
      return "named";
    }
    deepStrictEqual(result.files, [{ kind, mimeType, data }]);
    return kind;
  };
}

function seesError(name: string, args: JsonRecord, text: RegExp): ModelCase["see"] {
  return async (run, traits) => {
    const { result, received } = await run([[{ name, args }]]);
    match(result?.text ?? "", text);
    doesNotMatch(result?.text ?? "", /hunter2|node_modules|\/srv\/|\n\s+at /);
    deepStrictEqual(received, []);
    strictEqual(sayings(result?.text ?? ""), 1, `stated more than once: ${result?.text}`);
    return marked(result, traits);
  };
}

/** How often the longest statement of an error is in its text. */
function sayings(text: string): number {
  const statement = /The door is locked|"many"|correlation id \S+/.exec(text)?.[0];
  return statement === undefined ? 1 : text.split(statement).length - 1;
}

function marked(result: SeenResult | undefined, { marksErrors }: AdapterTraits): string {
  strictEqual(result?.isError === true, marksErrors);
  return marksErrors ? "error" : "text";
}

async function dropsNull(run: RunCase): Promise<string> {
  const { received } = await run([[{ name: "count", args: { count: 1, label: null, note: null } }]]);
  // The schema of `note` allows null.
  deepStrictEqual(received, [["count", { count: 1, note: null }]]);
  return "left out";
}

async function seesQuestion(run: RunCase): Promise<string> {
  const { result } = await run([[{ name: "ask", args: {} }]]);
  match(result?.text ?? "", /Are you sure about May\?/);
  const answered = await run([[{ name: "ask", args: {} }]], { answers: true });
  strictEqual(answered.result?.text, "sure");
  return "`onElicitation`, or text";
}

async function asksBefore(run: RunCase, traits: AdapterTraits): Promise<string> {
  const script = [[{ name: "drop", args: { table: "users" } }]];
  const { received, result } = await run(script);
  deepStrictEqual(received, []);
  if (traits.asks === "framework") return "asks";
  match(result?.text ?? "", /permission_denied[^]*approve: \(call\) => boolean/);
  marked(result, traits);
  const refused = await run(script, { options: { approve: () => false } });
  deepStrictEqual(refused.received, []);
  const asked: unknown[] = [];
  const approve = (call: unknown) => {
    asked.push(call);
    return Promise.resolve(true);
  };
  const approved = await run(script, { options: { approve } });
  deepStrictEqual(approved.received, [["drop", { table: "users" }]]);
  match(JSON.stringify(asked), /"tool":"drop","args":\{"table":"users"\}/);
  const byPerson = await run(script, { answers: true });
  deepStrictEqual(byPerson.received, [["drop", { table: "users" }]]);
  const never = await run(script, { options: { approve: "never" } });
  deepStrictEqual(never.received, [["drop", { table: "users" }]]);
  return "`approve`";
}

/** A tool in the context takes about 50 tokens: 100 of them 20,000 characters. */
const MOST_LOADED = 6_000;

async function searches(run: RunCase, { api, deferred }: AdapterTraits): Promise<string> {
  const args = { label: "history" };
  if (deferred === "host") {
    const { bodies, received } = await run([[{ name: "label_42", args }]], { hasMany: true });
    // Nothing asks the host to load all.
    doesNotMatch(JSON.stringify(bodies), /alwaysLoad/);
    deepStrictEqual(received, [["label_42", args]]);
    return "by the host";
  }
  const call = deferred === "loads"
    ? { name: "label_42", args }
    : { name: "call_tool", args: { name: "label_42", arguments: args } };
  const script = [[{ name: "search_tools", args: { query: "set label shelf 42" } }], [call]];
  const { bodies, received, result } = await run(script, { hasMany: true, options: { defer: "all" } });
  const loaded = api.loaded(bodies[0] ?? {});
  ok(loaded.length > 0 && loaded.join("").length < MOST_LOADED, `${loaded.length} tools are loaded`);
  deepStrictEqual(received, [["label_42", args]]);
  strictEqual(result?.text, "label_42 is history");
  const dropping = deferred === "loads" ? { name: "drop_everything", args } : {
    name: deferred === "two" ? "call_destructive_tool" : "call_tool",
    args: { name: "drop_everything", arguments: args },
  };
  const first = { name: "search_tools", args: { query: "drop everything" } };
  const dropped = await run([[first], [dropping]], { hasMany: true, options: { defer: "all" } });
  deepStrictEqual(dropped.received, []);
  return deferred === "loads" ? "loaded when found" : deferred === "two" ? "`call_tool` and another" : "`call_tool`";
}
