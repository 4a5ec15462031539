/** Questions of a server behind a gateway over MCP: all kinds reach the caller, in both eras on both sides. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { gateway, mount } from "../../../src/server/compose/mod.ts";
import { mcp, mcpSessions, mcpTransport } from "../../../src/wires/mcp/mod.ts";
import { INITIALIZED, legacy, TOOL } from "../../wires/mcp/client/scripted.ts";
import { keepingLogger } from "./scripted.ts";

type Era = "modern" | "legacy";
const ERAS: readonly Era[] = ["modern", "legacy"];
const KEYS = "k1:a secret that this test has and no other";
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 } as const;
const REPLY = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" } as const;
const ROOTS = [{ uri: "file:///work", name: "work" }];

/** A server that asks questions of all kinds. */
function asking() {
  const tool = (name: string) => defineTool(name).describe(`Ask by ${name}`);
  return createServer({
    keys: "k1:a secret of the server behind the gateway",
    wires: [mcp({ sessions: mcpSessions() })],
    tools: [
      tool("form").handle((_, ctx) => ctx.elicit("q", { message: "Sure?", schema: v.object({ ok: v.boolean() }) })),
      tool("url").handle((_, ctx) => ctx.elicitUrl("u", { message: "Sign in", url: "https://login.example/" })),
      tool("sampling").handle((_, ctx) => ctx.sample("s", SAMPLE)),
      tool("roots").handle((_, ctx) => ctx.roots("r")),
      tool("all").handle((_, ctx) =>
        ctx.ask({ q: { message: "Sure?", schema: v.object({ ok: v.boolean() }) }, r: { roots: true } })
      ),
    ],
  });
}

async function through(far: ReturnType<typeof asking>, toServer: Era, toCaller: Era) {
  const at = (server: { fetch(request: Request): Promise<Response> }, era: Era) =>
    mcpTransport("http://localhost/mcp", { era, fetch: (url, init) => server.fetch(new Request(url, init)) });
  const remote = await gateway("far", at(far, toServer));
  const app = createServer({
    tools: [],
    parts: [mount(remote)],
    wires: [mcp({ sessions: mcpSessions() })],
    keys: KEYS,
  });
  const transport = at(app, toCaller);
  const asked: unknown[] = [];
  transport.onElicitation((question) => {
    asked.push(question.url ?? question.message);
    return question.url === undefined ? { action: "accept", content: { ok: true } } : { action: "accept" };
  });
  transport.onSampling((request) => {
    asked.push(request.maxTokens);
    return REPLY;
  });
  transport.onRoots(() => {
    asked.push("roots");
    return ROOTS;
  });
  const { $ } = createClient(transport, { retry: { attempts: 0 } });
  const close = async () => {
    transport.close();
    await Promise.all([app.close(0), far.close(0)]);
  };
  return { $, asked, close };
}

for (const toServer of ERAS) {
  for (const toCaller of ERAS) {
    test(`questions of all kinds pass through a gateway, ${toServer} behind it and ${toCaller} before it`, async () => {
      const { $, asked, close } = await through(asking(), toServer, toCaller);
      deepStrictEqual(await $.call("form"), { action: "accept", content: { ok: true } });
      strictEqual((await $.call("url") as { action: string }).action, "accept");
      deepStrictEqual((await $.call("sampling") as { content: unknown }).content, REPLY);
      deepStrictEqual((await $.call("roots") as { content: unknown }).content, { roots: ROOTS });
      deepStrictEqual(await $.call("all"), {
        q: { action: "accept", content: { ok: true } },
        r: { action: "accept", content: { roots: ROOTS } },
      });
      deepStrictEqual(asked, ["Sure?", "https://login.example/", 10, "roots", "Sure?", "roots"]);
      await close();
    });
  }
}
