/** Arguments that a tool does not declare: refused, dropped or left to the schema, the same on every wire. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type ServerOptions, ToolError } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { createClient, type UntypedClient } from "../../mod.ts";
import { COMPOSED, isChosen, skipOf, WIRES, wires } from "./matrix.ts";

const Issue = v.object({
  title: v.string(),
  assignee: v.optional(v.string()),
  labels: v.optional(v.array(v.object({ name: v.string(), color: v.optional(v.string()) }))),
});

interface Line {
  readonly level: "info" | "warn";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function createTracker(options: Pick<ServerOptions<[]>, "unknownArguments"> = {}) {
  const lines: Line[] = [];
  const keep = (level: Line["level"]) => (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
    if (message.startsWith("Unknown")) lines.push({ level, message, fields });
  };
  const start = (name: string) => defineTool(name).describe("Create an issue");
  const tools = [
    start("create_issue").input(Issue).handle((input) => input),
    start("create_refusing").input(Issue).unknownArguments("refuse").handle((input) => input),
    start("create_dropping").input(Issue).unknownArguments("drop").handle((input) => input),
    start("create_strict").input(v.strictObject({ ...Issue.entries })).handle((input) => input),
    start("create_loose").input(v.looseObject({ ...Issue.entries })).unknownArguments("refuse").handle((input) =>
      input
    ),
  ];
  const logger = { debug() {}, info: keep("info"), warn: keep("warn"), error() {} };
  return {
    server: createServer({
      ...options,
      tools,
      wires,
      logger,
      keys: "k1:a secret of at least 32 bytes without a comma",
    }),
    lines,
  };
}

type World = { readonly client: UntypedClient; readonly lines: readonly Line[] };

async function refusalOf(calling: Promise<unknown>): Promise<ToolError> {
  const error = await calling.then(() => undefined, (thrown: unknown) => thrown);
  ok(error instanceof ToolError, String(error));
  strictEqual(error.code, "invalid_input");
  return error;
}

/** The paths and messages of the issues. */
function issuesOf({ details }: ToolError): readonly (readonly [path: string, message: string])[] {
  const { issues } = details as { readonly issues: readonly { path: readonly unknown[]; message: string }[] };
  return issues.map(({ path, message }) => [path.join("."), message]);
}

const SCENARIOS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "a name that is close to a declared one that is absent is refused, with the declared one"({ client }) {
    const error = await refusalOf(client.$.call("create_issue", { title: "T", assigne: "ada" }));
    deepStrictEqual(issuesOf(error), [["assigne", 'unknown property; did you mean "assignee"?']]);
    match(error.message, /Invalid arguments at "assigne": unknown property; did you mean "assignee"\?/);
    const nested = await refusalOf(
      client.$.call("create_issue", { title: "T", labels: [{ name: "a", colour: "red" }] }),
    );
    deepStrictEqual(issuesOf(nested), [["labels.0.colour", 'unknown property; did you mean "color"?']]);
  },

  async "any other name is dropped, with a line in the log, the first time a warning"({ client, lines }) {
    const sent = { title: "T", assignee: "ada", host_call_id: "1", labels: [{ name: "a", weight: 2 }] };
    deepStrictEqual(await client.$.call("create_issue", sent), {
      title: "T",
      assignee: "ada",
      labels: [{ name: "a" }],
    });
    const line = {
      message: "Unknown arguments were dropped",
      fields: { tool: "create_issue", names: ["host_call_id"] },
    };
    deepStrictEqual(lines, [{ level: "warn", ...line }]);
    await client.$.call("create_issue", sent);
    deepStrictEqual(lines.slice(1), [{ level: "info", ...line }]);
    await client.$.call("create_dropping", { ...sent, labels: [] });
    await client.$.call("create_issue", { ...sent, turn: 1 });
    deepStrictEqual(lines.slice(2).map(({ level, fields }) => [level, fields["tool"]]), [
      ["warn", "create_dropping"],
      ["warn", "create_issue"],
    ]);
  },

  async "a name that is close to a declared one that is present is dropped"({ client }) {
    deepStrictEqual(await client.$.call("create_issue", { title: "T", titl: "U" }), { title: "T" });
  },

  async "the other issues are reported, too"({ client }) {
    const error = await refusalOf(client.$.call("create_issue", { titl: "T", assignee: 5 }));
    deepStrictEqual(issuesOf(error).map(([path]) => path), ["titl", "title", "assignee"]);
  },

  async "refuse: every unknown name is refused, and the listing says so"({ client }) {
    const error = await refusalOf(client.$.call("create_refusing", { title: "T", labels: [{ name: "a", weight: 2 }] }));
    deepStrictEqual(issuesOf(error), [["labels.0.weight", "unknown property; there are name, color"]]);
    await refusalOf(client.$.call("create_refusing", { title: "T", host_call_id: "1" }));
    deepStrictEqual(await client.$.call("create_refusing", { title: "T" }), { title: "T" });
  },

  async "drop: every unknown name is dropped"({ client }) {
    const sent = { title: "T", assigne: "ada", host_call_id: "1" };
    deepStrictEqual(await client.$.call("create_dropping", sent), { title: "T" });
  },

  async "a schema that refuses or keeps unknown names decides for itself"({ client }) {
    const error = await refusalOf(client.$.call("create_strict", { title: "T", assigne: "ada", host_call_id: "1" }));
    deepStrictEqual(issuesOf(error), [
      ["assigne", 'unknown property; did you mean "assignee"?'],
      ["host_call_id", "unknown property; there are title, assignee, labels"],
    ]);
    const kept = { title: "T", assigne: "ada", host_call_id: "1" };
    deepStrictEqual(await client.$.call("create_loose", kept), kept);
  },

  async "the listing says what is refused and what is kept"({ client }) {
    const listed = await client.$.list();
    const saysOf = (name: string) => {
      const schema = listed.find((tool) => tool.name === name)?.inputSchema;
      const { labels } = schema?.["properties"] as { readonly labels: { readonly items: Record<string, unknown> } };
      return [schema?.["additionalProperties"], labels.items["additionalProperties"]];
    };
    deepStrictEqual(saysOf("create_issue"), [undefined, undefined]);
    deepStrictEqual(saysOf("create_refusing"), [false, false]);
    deepStrictEqual(saysOf("create_dropping"), [undefined, undefined]);
    deepStrictEqual(saysOf("create_strict"), [false, undefined]);
    deepStrictEqual(saysOf("create_loose"), [true, false]);
  },
};

/** Scenarios in which a client that checks arguments by the listing refuses them in its own words. */
const BY_LISTING: ReadonlySet<string> = new Set([
  "the other issues are reported, too",
  "refuse: every unknown name is refused, and the listing says so",
  "a schema that refuses or keeps unknown names decides for itself",
]);

for (const wire of [...WIRES, ...COMPOSED]) {
  for (const [place, [name, scenario]] of Object.entries(SCENARIOS).entries()) {
    if (!isChosen(wire, place)) continue;
    const skip = skipOf(wire, BY_LISTING.has(name) ? ["arguments that the server alone checks"] : []);
    test(`${wire.name}: ${name}`, { skip }, async () => {
      const { server, lines } = createTracker();
      const { transport, close } = await wire.open(server);
      try {
        await scenario({ client: createClient(transport, { retry: { attempts: 1 } }), lines });
      } finally {
        await close();
        await server.close(0);
      }
    });
  }
}
