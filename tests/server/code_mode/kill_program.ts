// A process with a program of six calls and a sleep: `kill_program.ts <file of jobs> <file of notes> begin|end [token]`. Its tool notes its calls.
import { appendFileSync } from "node:fs";
import process from "node:process";
import { createServer, defineTool } from "../../../mod.ts";
import { codeMode, quickjs } from "../../../src/entries/code.ts";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { testClient } from "../../../src/entries/testing.ts";

const [jobs = "", notes = "", task = "", token = ""] = process.argv.slice(2);

const SOURCE = `
  const done = [];
  for (let n = 1; n <= 3; n++) done.push(await tools.note({ n }));
  await sleep(1_100);
  for (let n = 4; n <= 6; n++) done.push(await tools.note({ n }));
  return [done, typeof Math.random()];
`;

const note = defineTool("note").describe("Note a number").input(jsonSchema<{ n: number }>({ type: "object" }))
  .handle(async ({ n }) => {
    appendFileSync(notes, `${n}\n`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    return n;
  });
const server = createServer({
  tools: [note],
  keys: "k1:a secret that all of these processes know",
  engine: sqliteEngine(jobs, { leaseMs: 1_000, pollMs: 20 }),
  discovery: codeMode({ executor: quickjs() }),
});
const client = testClient(server);

if (task === "begin") {
  const { token } = await client.$.start("run_code", { source: SOURCE });
  console.log(`began ${token} `);
  // Its worker lives until the process is killed.
  server.work();
} else {
  server.work();
  const { value } = await client.$.redeem(token).result() as { value: unknown };
  console.log(`value ${JSON.stringify(value)} `);
  await server.close();
}
