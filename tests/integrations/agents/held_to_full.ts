/** Draws arguments that fit a reduced schema, and calls a tool with them: what does not fit the whole schema has to be refused by name. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createServer, defineTool, ToolError } from "../../../mod.ts";
import { createCoreClient } from "../../../src/client/core_client.ts";
import { memoryTransport } from "../../../src/wires/memory/client/transport.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { explainSchema, type SchemaVendor } from "../../../src/entries/agents.ts";
import { valuesOf } from "./reduced_values.ts";

type Schema = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

function compile({ $schema: _, ...schema }: Schema) {
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  return validate;
}

/** Counts of drawn arguments. */
export interface Drawn {
  /** Those that fit the reduced schema. */
  fitting: number;
  /** Those among them that do not fit the whole schema. */
  refused: number;
}

/** Checks one schema. A schema of which nothing moves into descriptions is skipped. */
export async function checkHeld(inputSchema: Schema, vendor: SchemaVendor, runs: number, drawn: Drawn): Promise<void> {
  const { schema, toArguments, changes } = explainSchema({ inputSchema }, vendor);
  if (!changes.some(({ change }) => change === "described")) return;
  const [fitsReduced, fitsWhole] = [compile(schema), compile(inputSchema)];
  const tool = defineTool("it").describe("Returns its arguments").input(jsonSchema(inputSchema)).handle((args) => args);
  const server = createServer({ tools: [tool], logger: false });
  const client = createCoreClient(memoryTransport(server));
  for (const given of fc.sample(valuesOf(schema, schema), { numRuns: runs, seed: 7 })) {
    // Values of deep schemas end before they fit.
    if (!fitsReduced(given)) continue;
    drawn.fitting++;
    const args = toArguments(given) as Record<string, unknown>;
    const answer = await client.$.call("it", args).catch((thrown: unknown) => thrown);
    if (fitsWhole(args)) {
      deepStrictEqual(answer, args);
      continue;
    }
    drawn.refused++;
    ok(
      answer instanceof ToolError,
      `${JSON.stringify(args)} was accepted, and does not fit ${JSON.stringify(inputSchema)}`,
    );
    strictEqual(answer.code, "invalid_input");
    const named = JSON.stringify(answer.details);
    const names = (fitsWhole.errors ?? []).map(({ instancePath }) => instancePath.split("/")[1] ?? "");
    ok(
      names.some((name) => named.includes(`"path":[${name === "" ? "" : JSON.stringify(name)}`)),
      `${named} names none of ${names}`,
    );
  }
  await server.close();
}
