/** How a gateway uses its input: schemas of the remote server, and its own options. */
import { deepStrictEqual, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { gateway, type GatewayOptions, group, type GroupOptions, mount } from "../../../src/entries/compose.ts";
import { mcp } from "../../../src/entries/mcp.ts";
import { listing, scripted } from "./scripted.ts";

test("arguments that are named as keywords are, and data, stay in schemas; keywords of headers do not", async () => {
  const data = { "x-mcp-header": "a", $schema: "b", c: [{ $schema: 1 }] };
  const kept = {
    $schema: { type: "string", default: data },
    "x-mcp-header": { enum: [data], const: data, examples: [data] },
    const: { type: "string" },
  };
  const inputSchema = {
    type: "object",
    $schema: "urn:x",
    properties: {
      ...kept,
      const: { type: "string", "x-mcp-header": "bad header\r\n" },
      nested: { anyOf: [{ $schema: "urn:y", type: "null" }, { type: "object", properties: kept }] },
    },
    $defs: { $schema: { $schema: "urn:z", type: "string" } },
  };
  const remote = scripted(JSON.parse(JSON.stringify([listing("odd", { inputSchema })])));
  const app = createServer({ tools: [], parts: [mount(await gateway("remote", remote))], wires: [mcp()] });
  deepStrictEqual(app.tools[0]?.inputSchema, {
    type: "object",
    properties: { ...kept, nested: { anyOf: [{ type: "null" }, { type: "object", properties: kept }] } },
    $defs: { $schema: { type: "string" } },
  });
});

test("unknown and invalid options are refused at once", async () => {
  const make = (options: object) => gateway("far", scripted([listing("one")]), options as GatewayOptions);
  for (
    const [options, message] of [
      [{ pin: [] }, /Cannot make the gateway "far": there is no option "pin"; did you mean "pinned"\?/],
      [{ pinned: "[]" }, /pinned must be an array of tools/],
      [{ pinned: [{}] }, /pinned must be an array of tools/],
      [{ select: "one" }, /select must be a function/],
      [{ validate: "yes" }, /validate must be true or false/],
    ] as const
  ) await rejects(make(options), { name: "TypeError", message });
  for (const name of ["maxListed", "maxListChars", "timeoutMs", "listTimeoutMs"]) {
    await rejects(make({ [name]: Number.NaN }), { name: "RangeError", message: new RegExp(`${name} must be`) });
  }
  const server = createServer({ tools: [] });
  throws(() => group("x", server, { seperator: "-" } as GroupOptions), /did you mean "separator"\?/);
  throws(() => group("x", server, { separator: "/" } as unknown as GroupOptions), TypeError);
});
