/** A caller finds, reads and calls in programs what it may call outside of them, and nothing else. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defineTool, type Principal } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { run, serverOf } from "./fixture.ts";

/** A tool of a random server: who may see it, and who may call it. */
interface Drawn {
  readonly scope: string | undefined;
  readonly owner: string | undefined;
  readonly isClosed: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  scope: fc.constantFrom(undefined, "a", "b"),
  owner: fc.constantFrom(undefined, "ada", "eve"),
  isClosed: fc.boolean(),
});

const caller: fc.Arbitrary<Principal | undefined> = fc.option(
  fc.record({ id: fc.constantFrom("ada", "eve", "bob"), scopes: fc.subarray(["a", "b"]) }),
  { nil: undefined },
);

function toTool({ scope, owner }: Drawn, index: number) {
  let building = defineTool(`tool_${index}`).describe("A tool with words");
  if (scope !== undefined) building = building.scopes(scope);
  if (owner !== undefined) building = building.visibleTo((principal) => principal?.id === owner);
  return building.handle((_, ctx) => [index, ctx.principal?.id]);
}

test("a caller finds and calls in a program exactly what it may outside", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 6 }), caller, async (all, principal) => {
      const server = serverOf(all.map(toTool), {
        callable: ({ name }) => all[Number(name.slice("tool_".length))]?.isClosed === false,
      });
      const client = testClient(server, { principal });
      const names = all.map((_, index) => `tool_${index}`);
      const outside = await Promise.all(
        names.map((name) => client.$.call(name).then((value) => ({ value }), ({ code }) => ({ code }))),
      );
      const source = `
        return await Promise.all(${JSON.stringify(names)}.map(async (name) => {
          try { return { value: await tools[name]() }; } catch ({ code }) { return { code }; }
        }));
      `;
      const inside = (await run(server, source, principal)).value as typeof outside;
      const mayCall = all.map(({ isClosed }, index) => !isClosed && "value" in outside[index]!);
      all.forEach(({ isClosed }, index) => {
        const [one, other] = [inside[index]!, outside[index]!];
        if (!isClosed) return deepStrictEqual(one, JSON.parse(JSON.stringify(other)));
        // What programs may not call is as it is outside for those that do not see it.
        const isUnknown = "code" in other && other.code === "tool_not_found";
        ok("code" in one && one.code === (isUnknown ? "tool_not_found" : "permission_denied"), JSON.stringify(one));
      });
      const { tools } = await client.$.call("search_tools", { query: "words", limit: 20 }) as {
        tools: { name: string }[];
      };
      deepStrictEqual(tools.map(({ name }) => name).sort(), names.filter((_, index) => mayCall[index]).sort());
      const described = await client.$.call("describe_tools", { names }) as { declarations: string; unknown?: object };
      names.forEach((name, index) => {
        strictEqual(described.declarations.includes(`tools.${name}:`), mayCall[index], name);
        strictEqual(name in (described.unknown ?? {}), !mayCall[index], name);
      });
      await server.close();
    }),
    { numRuns: 25 },
  );
});

test("an unknown tool in a program names no tool that its caller may not see", async () => {
  const hidden = defineTool("secret_tool").describe("Hidden").visibleTo(() => false).handle(() => 1);
  const server = serverOf([hidden, defineTool("open").describe("Open").handle(() => 1)]);
  const source =
    "try { await tools.secret_tol(); } catch (error) { return JSON.stringify([error.message, error.data]); }";
  const { value } = await run(server, source);
  ok(!String(value).includes("secret_tool"), String(value));
  await server.close();
});
