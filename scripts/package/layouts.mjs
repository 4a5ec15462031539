// Schemas of valibot and zod in the layouts of node_modules that projects have: one copy, which the package and the project share, and several
// copies of several versions, one under the name that JSR's has on npm, with schemas of one copy within those of another.
import { cpSync } from "node:fs";
import { join } from "node:path";

/** What is installed beside the package, and the copies that a program then imports, by library. */
export function layoutsOf({ dependencies, devDependencies }) {
  const versionOf = (alias) => devDependencies[alias].split("@").at(-1);
  return {
    "one copy": {
      packages: [`valibot@${dependencies.valibot}`, `zod@${devDependencies.zod}`],
      valibot: ["valibot"],
      zod: ["zod"],
    },
    "several copies": {
      packages: [`valibot@${versionOf("valibot-1-0")}`, `zod@${versionOf("zod-4-0")}`],
      valibot: ["valibot", "@jsr/valibot__valibot", "toolwire/schema"],
      zod: ["zod", "second-zod"],
      copies: { "@jsr/valibot__valibot": "valibot", "second-zod": "zod" },
    },
  };
}

/** Copies packages under further names: other modules to the runtime, as those of another `node_modules` are. */
export function copyPackages(folder, copies = {}) {
  for (const [name, from] of Object.entries(copies)) {
    cpSync(join(folder, "node_modules", from), join(folder, "node_modules", name), {
      recursive: true,
      dereference: true,
    });
  }
}

/** A program that defines, lists and calls a tool for each copy, and one whose schema is of the first and the last copy. */
export function layoutProgram({ valibot, zod }) {
  const imports = [...valibot, ...zod].map((name, at) => `import * as copy${at} from "${name}";`).join("\n");
  return `
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createServer, defineTool } from "toolwire";
import { testClient } from "toolwire/testing";
${imports}

const valibots = [${valibot.map((_, at) => `copy${at}`).join(", ")}];
const zods = [${zod.map((_, at) => `copy${valibot.length + at}`).join(", ")}];
const schemas = [
  ...valibots.map((v) => v.object({ query: v.pipe(v.string(), v.minLength(1)), limit: v.optional(v.number(), 10) })),
  valibots[0].object({ query: valibots.at(-1).pipe(valibots.at(-1).string(), valibots.at(-1).minLength(1)), limit: valibots[0].optional(valibots.at(-1).number(), 10) }),
  ...zods.map((z) => z.object({ query: z.string().min(1), limit: z.number().default(10) })),
  zods[0].object({ query: zods.at(-1).string().min(1), limit: zods[0].number().default(10) }),
];
for (const schema of schemas) {
  const tool = defineTool("search").describe("Search").input(schema).output(schema).handle(async (found, ctx) => {
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema });
    return { ...found, query: found.query + action };
  });
  const server = createServer({ tools: [tool], logger: false });
  const { properties: { query }, required } = server.tools[0].inputSchema;
  deepStrictEqual([query.type, query.minLength, required], ["string", 1, ["query"]]);
  const client = testClient(server, { onElicitation: () => ({ action: "accept", content: { query: "a", limit: 1 } }) });
  deepStrictEqual(await client.search({ query: "jazz" }), { query: "jazzaccept", limit: 10 });
  strictEqual((await client.search({ query: "" }).catch((error) => error)).code, "invalid_input");
}
console.log("done");
`;
}
