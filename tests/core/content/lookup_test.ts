/** What a name or URI costs on a server of thousands of prompts and resources, counted by the rules that are asked: callers choose the name. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { group } from "../../../src/entries/compose.ts";
import { definePrompt, defineResource, mcp, user } from "../../../src/entries/mcp.ts";
import { modern } from "../../wires/mcp/server/client.ts";

const COUNT = 2_000;
const numbers = Array.from({ length: COUNT }, (_, n) => n);

/** A server whose part asks a rule before each prompt and resource of it is used. */
function serverOfMany() {
  const asked = { times: 0 };
  const prompts = numbers.map((n) => definePrompt(`prompt_${n}`).describe("P").handle(() => [user(`${n}`)]));
  const resources = [
    ...numbers.map((n) => defineResource(`docs://fixed/${n}`).name(`${n}`).read(() => `fixed ${n}`)),
    defineResource("notes://{id}").name("note").read(({ id }) => id === "none" ? undefined : `note ${id}`),
  ];
  const part = createServer({ tools: [], prompts, resources });
  const isVisible = () => {
    asked.times++;
    return true;
  };
  return {
    asked,
    server: createServer({ tools: [], parts: [group("many", part, { visibleTo: isVisible })], wires: [mcp()] }),
  };
}

test("a resource of a template is found without a look at each fixed one, and so is a URI that none has", async () => {
  const { asked, server } = serverOfMany();
  const [{ uriTemplate }] = (await modern(server, "resources/templates/list")).last.result
    ?.["resourceTemplates"] as [{ uriTemplate: string }];
  const uri = uriTemplate.replace("{id}", "7");
  const fixed = uriTemplate.replace("notes://{id}", "docs://fixed/7");
  for (
    const [of, answer] of [
      [uri, /note 7/],
      [fixed, /fixed 7/],
      [uriTemplate.replace("{id}", "none"), /Resource not found/],
      ["other://x", /Resource not found/],
      [`${fixed}${"7".repeat(5_000)}`, /Resource not found/],
      ["docs://fixed/__proto__", /Resource not found/],
      ["", /./],
    ] as const
  ) {
    asked.times = 0;
    match(JSON.stringify((await modern(server, "resources/read", { uri: of })).last), answer, of);
    ok(asked.times <= 8, `${of.slice(0, 40)}: the rule was asked ${asked.times} times`);
  }
  await server.close(0);
});

test("an unknown prompt lists the first ones and the close one, and asks the rule for these alone", async () => {
  const { asked, server } = serverOfMany();
  for (const name of ["prompt_1999x", "promt_77", "", "x".repeat(10_000), "__proto__", "\ud800", "prompt_"]) {
    asked.times = 0;
    const { last: { error } } = await modern(server, "prompts/get", { name }, {
      headers: {
        "mcp-name": /^[\w]{1,100}$/.test(name)
          ? name
          : `=?base64?${btoa(unescape(encodeURIComponent(name.toWellFormed())))}?=`,
      },
    });
    if (error?.data?.["available_prompts"] === undefined) continue;
    strictEqual((error.data["available_prompts"] as readonly string[]).length, 50);
    ok(asked.times <= 200, `${name.slice(0, 20)}: the rule was asked ${asked.times} times`);
  }
  asked.times = 0;
  const { last: { error } } = await modern(server, "prompts/get", { name: "many_prompt_1999x" });
  deepStrictEqual([error?.data?.["suggestion"], error?.message], [
    "Did you mean 'many_prompt_1999'?",
    "Prompt not found",
  ]);
  ok(asked.times <= 200, `the rule was asked ${asked.times} times`);
  await server.close(0);
});
