/** A tool that is hidden from a caller is answered exactly as one that does not exist, whatever the request asks for. */
import { deepStrictEqual, notDeepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { createServer, defineTool } from "../../../../mod.ts";
import { bearer } from "../../../../src/entries/auth.ts";
import { discover } from "../../../../src/entries/discovery.ts";
import { jsonSchema } from "../../../../src/entries/json_schema.ts";
import { type Json, legacy, modern, type Reply, TASKS } from "./client.ts";

const isAdmin = (principal: { readonly id: string } | undefined) => principal?.id === "admin";
const hidden = (name: string) => defineTool(name).describe(`A tool of the name ${name}`).visibleTo(isAdmin);

const region = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
const TOOLS = [
  hidden("hid_p").handle(() => 1),
  hidden("hid_t").promise({ required: true }).handle(() => 1),
  hidden("hid_o").promise().handle(() => 1),
  hidden("hid_h").input(jsonSchema<Json>(region)).handle(() => 1),
  hidden("hid_s").scopes("write").input(v.object({ n: v.number() })).handle(() => 1),
  defineTool("seen").describe("A tool that every caller sees").handle(() => 1),
];

const auth = bearer((id) => ({ id }), { allowAnonymous: true });
const common = {
  tools: TOOLS,
  auth,
  logger: false,
  keys: "k1:a secret that only these tests know",
} as const;
const SERVERS = {
  plain: createServer(common),
  discovering: createServer({ ...common, discovery: discover({ when: "always" }) }),
};

type Send = (name: string, headers: Record<string, string>) => Promise<Reply>;

function requests(server: (typeof SERVERS)["plain"]): Readonly<Record<string, Send>> {
  const capabilities = { extensions: { [TASKS]: {} } };
  const call = (name: string) => ({ name, arguments: { region: "eu" } });
  const through = (name: string) => ({ name: "call_tool", arguments: { name, arguments: { region: "eu" } } });
  return {
    "2026": (name, headers) => modern(server, "tools/call", call(name), { headers }),
    "2026, with tasks": (name, headers) => modern(server, "tools/call", call(name), { headers, capabilities }),
    "2026, with progress": (name, headers) =>
      modern(server, "tools/call", call(name), { headers, meta: { progressToken: 1 } }),
    "2026, with the header of an argument": (name, headers) =>
      modern(server, "tools/call", call(name), { headers: { ...headers, "mcp-param-region": "us" } }),
    "2026, through call_tool": (name, headers) => modern(server, "tools/call", through(name), { headers }),
    "2025-11-25": (name, headers) => legacy(server, "tools/call", call(name), { headers, id: 1 }),
    "2025-11-25, as a task": (name, headers) =>
      legacy(server, "tools/call", { ...call(name), task: { ttl: 1_000 } }, { headers, id: 1 }),
    "2025-11-25, through call_tool": (name, headers) => legacy(server, "tools/call", through(name), { headers, id: 1 }),
    "2025-06-18": (name, headers) =>
      legacy(server, "tools/call", call(name), { version: "2025-06-18", headers, id: 1 }),
  };
}

/** All of a reply but the time and the id of the request; names have the same length. */
async function shown(send: Send, name: string, token: string | undefined): Promise<unknown> {
  const reply = await send(name, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const { id: _, ...last } = reply.last;
  return JSON.parse(JSON.stringify([reply.status, [...reply.headers], last]).replaceAll(name, "a name"));
}

for (const [kind, server] of Object.entries(SERVERS)) {
  for (const [request, send] of Object.entries(requests(server))) {
    test(`${kind} server, ${request}: a hidden tool is answered as an unknown one`, async () => {
      const differing: string[] = [];
      for (const caller of [undefined, "ada"]) {
        const unknown = await shown(send, "none!", caller);
        for (const { name } of TOOLS.slice(0, -1)) {
          const reply = await shown(send, name, caller);
          if (JSON.stringify(reply) !== JSON.stringify(unknown)) differing.push(`${name}: ${JSON.stringify(reply)}`);
        }
      }
      deepStrictEqual(differing, []);
      // The tool is there, for those who may see it.
      const found = await Promise.all(TOOLS.slice(0, -1).map(({ name }) => shown(send, name, "admin")));
      for (const reply of found) notDeepStrictEqual(reply, await shown(send, "none!", "admin"));
      ok(found.length === 5);
    });
  }
}
