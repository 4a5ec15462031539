import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { type AnyTool, createServer, defineTool } from "../../../mod.ts";
import { ToolRegistry } from "../../../src/core/tool/registry.ts";

const tool = (name: string): AnyTool => defineTool(name).describe(`The tool ${name}`).handle(() => name);

test("createServer() refuses two tools of one name", () => {
  throws(() => createServer({ tools: [tool("a"), tool("b"), tool("a")] }), {
    name: "TypeError",
    message: 'Cannot create server: two tools are called "a"; rename one',
  });
});

test("createServer() takes names that differ in case alone", () => {
  deepStrictEqual(createServer({ tools: [tool("a"), tool("A")] }).tools.map(({ name }) => name), ["a", "A"]);
});

for (const name of ["redeem", "cancel"]) {
  test(`createServer() refuses a tool called ${name}`, () => {
    throws(() => createServer({ tools: [tool(name)] }), {
      name: "TypeError",
      message: `Cannot create server: "${name}" is reserved; rename your tool`,
    });
  });
}

for (const unfinished of [defineTool("t").describe("T"), {}, undefined, null, "t", () => 1]) {
  test(`createServer() refuses ${unfinished === null ? "null" : typeof unfinished} in place of a tool`, () => {
    throws(() => createServer({ tools: [unfinished as unknown as AnyTool] }), {
      name: "TypeError",
      message: "Cannot create server: a tool is not finished; end it with .handle(…) or .external(…)",
    });
  });
}

test("createServer() takes no tools, and lists in the order given", () => {
  deepStrictEqual(createServer({ tools: [] }).tools, []);
  deepStrictEqual(createServer({ tools: [tool("b"), tool("a")] }).tools.map(({ name }) => name), ["b", "a"]);
});

test("ToolRegistry.get() finds tools by their own name, and nothing on Object.prototype", () => {
  const registry = new ToolRegistry([tool("a"), tool("hasOwnProperty")]);
  strictEqual(registry.get("a")?.name, "a");
  strictEqual(registry.get("hasOwnProperty")?.name, "hasOwnProperty");
  for (const name of ["", "A", "a ", "constructor", "__proto__", "valueOf"]) {
    strictEqual(registry.get(name), undefined, name);
  }
});

test("ToolRegistry.notFound() names the tools there are and the nearest", () => {
  deepStrictEqual(new ToolRegistry([tool("search"), tool("add")]).notFound("serach"), {
    kind: "error",
    code: "tool_not_found",
    message: "Tool not found",
    data: { requested_tool: "serach", available_tools: ["search", "add"], suggestion: "Did you mean 'search'?" },
  });
});

test("ToolRegistry.notFound() gives advice when no name is close", async () => {
  const suggestion = "No similar tool: list the tools";
  const there = [tool("transfer_money")];
  deepStrictEqual((await new ToolRegistry([]).notFound("x")).data, {
    requested_tool: "x",
    available_tools: [],
    suggestion,
  });
  deepStrictEqual((await new ToolRegistry(there).notFound("get_weather")).data, {
    requested_tool: "get_weather",
    available_tools: ["transfer_money"],
    suggestion,
  });
});

test("ToolRegistry.notFound() is bounded: 50 names, and the start of a huge one", async () => {
  const registry = new ToolRegistry(Array.from({ length: 200 }, (_, index) => tool(`tool_${index}`)));
  const data = (await registry.notFound(`tool_199${"x".repeat(1_048_576)}`)).data as {
    requested_tool: string;
    available_tools: string[];
    suggestion: string;
  };
  strictEqual(data.available_tools.length, 50);
  strictEqual(data.requested_tool.length <= 256, true);
  strictEqual(JSON.stringify(data).length < 4_096, true);
  // The nearest is looked for among all of them.
  strictEqual(((await registry.notFound("tool_199")).data as typeof data).suggestion, "Did you mean 'tool_199'?");
  strictEqual(((await registry.notFound("tol_150")).data as typeof data).suggestion, "Did you mean 'tool_150'?");
});

test("an unknown name on a server of thousands of tools is answered with the first visible ones and the close one", async () => {
  let asked = 0;
  const tools = Array.from({ length: 5_000 }, (_, at) => {
    return defineTool(`tool_${at}`).describe("A tool").visibleTo((principal) => {
      asked++;
      return principal?.id === "ada" && at % 2 === 1;
    }).handle(() => at);
  });
  const registry = new ToolRegistry(tools);
  const { data } = await registry.notFound("tol_1235", { id: "ada" }) as {
    readonly data: Readonly<Record<string, unknown>>;
  };
  strictEqual(data["suggestion"], "Did you mean 'tool_1235'?");
  deepStrictEqual((data["available_tools"] as string[]).slice(0, 2), ["tool_1", "tool_3"]);
  strictEqual((data["available_tools"] as string[]).length, 50);
  ok(asked <= 1_200, `${asked} tools were asked about`);
  asked = 0;
  const nothing = await registry.notFound("tool_1235x") as { readonly data: Readonly<Record<string, unknown>> };
  deepStrictEqual(nothing.data["available_tools"], []);
  strictEqual(nothing.data["suggestion"], "No similar tool: list the tools");
  strictEqual(asked, 5_000, "each tool is asked about once, and none is searched for");
});
