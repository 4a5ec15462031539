/** A caller finds and calls only what it may: hidden tools, and tools whose scopes it lacks, do not exist for a search. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createServer, defineTool, type Principal } from "../../../mod.ts";
import { group } from "../../../src/entries/compose.ts";
import { call, found, listed, search, serverOf, tool } from "./fixture.ts";

const WORDS = ["read", "write", "delete", "invoice", "customer", "report", "user", "file"] as const;

/** A tool of a random server: its words, and who may call it. */
interface Drawn {
  readonly words: readonly string[];
  readonly scope: string | undefined;
  readonly owner: string | undefined;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  scope: fc.constantFrom(undefined, "a", "b"),
  owner: fc.constantFrom(undefined, "ada", "eve"),
});

const caller: fc.Arbitrary<Principal | undefined> = fc.option(
  fc.record({ id: fc.constantFrom("ada", "eve", "bob"), scopes: fc.subarray(["a", "b"]) }),
  { nil: undefined },
);

const query = fc.oneof(
  fc.array(fc.constantFrom(...WORDS, "tool_1", "tool_2", "tool"), { minLength: 1, maxLength: 4 }).map((words) =>
    words.join(" ")
  ),
  fc.string({ minLength: 1, maxLength: 30 }),
);

function toTool({ words, scope, owner }: Drawn, index: number) {
  let building = defineTool(`tool_${index}`).describe(words.join(" "));
  if (scope !== undefined) building = building.scopes(scope);
  if (owner !== undefined) building = building.visibleTo((principal) => principal?.id === owner);
  return building.handle(() => index);
}

function mayCall({ scope, owner }: Drawn, principal: Principal | undefined): boolean {
  return (scope === undefined || principal?.scopes?.includes(scope) === true) &&
    (owner === undefined || principal?.id === owner);
}

test("searches find, and call_tool calls, only tools that the caller may call", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 1, maxLength: 8 }),
      caller,
      query,
      async (tools, principal, words) => {
        const server = serverOf(tools.map(toTool));
        const options = principal === undefined ? {} : { principal };
        const mine = serverOf(tools.flatMap((one, index) => mayCall(one, principal) ? [toTool(one, index)] : []));
        const { tools: hits, total, unmatched } = await search(server, { query: words, limit: 20 }, options);
        const allowed = tools.flatMap((one, index) => mayCall(one, principal) ? [`tool_${index}`] : []);
        ok(hits.every(({ name }) => allowed.includes(name)));
        // The same words match as if the other tools did not exist.
        const alone = await search(mine, { query: words, limit: 20 }, options);
        deepStrictEqual([hits.map(({ name }) => name).toSorted(), total, unmatched], [
          alone.tools.map(({ name }) => name).toSorted(),
          alone.total,
          alone.unmatched,
        ]);
        for (const [index, one] of tools.entries()) {
          const calling = call(server, "call_tool", { name: `tool_${index}` }, options);
          if (mayCall(one, principal)) strictEqual(await calling, index);
          else if (one.owner !== undefined && one.owner !== principal?.id) {
            // A hidden tool does not differ from an unknown one.
            await rejects(calling, { code: "tool_not_found", message: /^Tool "tool_\d+" was not found; / });
          } else await rejects(calling, { code: principal === undefined ? "unauthenticated" : "permission_denied" });
        }
      },
    ),
    { numRuns: 100 },
  );
});

const secret = defineTool("launch_rocket").describe("Launch the rocket").visibleTo((principal) =>
  principal?.id === "ada"
)
  .handle(() => "launched");
const scoped = defineTool("pay_invoice").describe("Pay an invoice").scopes("pay").handle(() => "paid");
const ada = { principal: { id: "ada", scopes: ["pay"] } };
const eve = { principal: { id: "eve" } };

test("errors about hidden tools do not differ from those about unknown tools, nor do suggestions name them", async () => {
  const server = serverOf([secret, tool("ping", "Answer")]);
  strictEqual(await call(server, "call_tool", { name: "launch_rocket" }, ada), "launched");
  for (const name of ["launch_rocket", "launch_rockets"]) {
    await rejects(call(server, "call_tool", { name }, eve), {
      code: "tool_not_found",
      details: {
        requested_tool: name,
        available_tools: ["ping"],
        suggestion: "No similar tool: search with search_tools",
      },
    });
  }
  deepStrictEqual(await search(server, "launch_rocket", eve).then(({ tools, total }) => [tools, total]), [[], 0]);
});

test("call_destructive_tool is listed for callers that can find a destructive tool, and calls it alone", async () => {
  const drop = defineTool("drop_table").describe("Drop a table").annotate({ destructiveHint: true }).visibleTo((who) =>
    who?.id === "ada"
  )
    .handle(() => "dropped");
  const server = serverOf([drop, tool("ping", "Answer")]);
  deepStrictEqual(await listed(server, ada), ["search_tools", "call_tool", "call_destructive_tool"]);
  deepStrictEqual(await listed(server, eve), ["search_tools", "call_tool"]);
  deepStrictEqual((await search(server, "drop table", ada)).tools[0]?.callWith, "call_destructive_tool");
  await rejects(
    call(server, "call_tool", { name: "drop_table" }, ada),
    /destructive: call it with call_destructive_tool/,
  );
  strictEqual(await call(server, "call_destructive_tool", { name: "drop_table" }, ada), "dropped");
  await rejects(call(server, "call_destructive_tool", { name: "drop_table" }, eve), { code: "tool_not_found" });
});

test("an unknown name has the nearest tools as its suggestion, which the caller may find", async () => {
  const server = serverOf([tool("github_create_issue", "Create an issue"), tool("ping", "Answer"), secret]);
  const suggestion = async (name: string, who: typeof ada | typeof eve) =>
    await call(server, "call_tool", { name }, who).then(
      () => undefined,
      ({ details }: { readonly details: { readonly suggestion: string } }) => details.suggestion,
    );
  strictEqual(await suggestion("pingg", eve), "Did you mean 'ping'?");
  strictEqual(
    await suggestion("issueCreate", eve),
    "The nearest are 'github_create_issue': look them up with search_tools",
  );
  strictEqual(await suggestion("rocket_to_launch", eve), "No similar tool: search with search_tools");
});

test("call_tool reports the scopes that a caller lacks, so that it can request them", async () => {
  const server = serverOf([scoped]);
  deepStrictEqual(await found(server, "pay invoice", eve), []);
  deepStrictEqual(await found(server, "pay invoice", ada), ["pay_invoice"]);
  strictEqual(await call(server, "call_tool", { name: "pay_invoice" }, ada), "paid");
  const details = { required_scopes: ["pay"] };
  await rejects(call(server, "call_tool", { name: "pay_invoice" }, eve), { code: "permission_denied", details });
  await rejects(call(server, "call_tool", { name: "pay_invoice" }), { code: "unauthenticated", details });
});

test("a pinned tool is listed only to callers that may see it", async () => {
  const server = serverOf([secret], { pinned: ["launch_rocket"] });
  deepStrictEqual(await listed(server, ada), ["launch_rocket", "search_tools", "call_tool"]);
  deepStrictEqual(await listed(server, eve), ["search_tools", "call_tool"]);
});

test("a group without tools that every caller may see is not named", async () => {
  const rockets = group("rockets", createServer({ tools: [secret] }));
  const mail = group("mail", createServer({ tools: [tool("send", "Send a mail"), secret] }));
  const server = serverOf([], {}, { parts: [rockets, mail] as never });
  ok(!JSON.stringify(server.tools).includes("rocket"));
  ok(server.tools[0]?.description.endsWith("Groups of tools: mail (1)."));
  ok(!JSON.stringify(await search(server, "zebra", eve)).includes("rockets"));
  deepStrictEqual((await search(server, "launch rocket", ada)).groups, { rockets: 1, mail: 1 });
});

test("a predicate of visibility runs once for a tool in a search, and hides the tool if it throws", async () => {
  let runs = 0;
  const counted = defineTool("read_file").describe("Read a file").visibleTo(() => ++runs > 0).handle(() => 1);
  const broken = defineTool("read_book").describe("Read a book").visibleTo(() => {
    throw new Error("No");
  }).handle(() => 1);
  const server = serverOf([counted, broken]);
  runs = 0;
  deepStrictEqual(await found(server, "read file reading files read_file"), ["read_file"]);
  strictEqual(runs, 1);
});
