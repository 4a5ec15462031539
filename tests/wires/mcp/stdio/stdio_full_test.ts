/** MCP over pipes: real processes, on the runtime that runs the tests. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { errorResult } from "../../../../src/core/call/outcome.ts";
import { LineSplitter } from "../../../../src/wires/mcp/stdio/server/lines.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { CAPABILITIES, type Json, type Message, textOf, VERSION } from "../server/client.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const hook = new URL("../../../runtime/node_hook.mjs", import.meta.url).href;

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "-A", "--quiet", "--no-check"],
  node: ["--disable-warning=ExperimentalWarning", `--import=${hook}`],
};

/** A host: starts `toolwire stdio`, writes lines and reads them. */
class Host implements AsyncDisposable {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  readonly exited: Promise<number | null>;
  errors = "";

  constructor(...args: readonly string[]) {
    const flags = FLAGS[runtime] ?? [];
    const all = args.length > 0 ? args : ["stdio", "tests/wires/mcp/stdio/server_module.ts"];
    this.#child = spawn(process.execPath, [...flags, "apps/cli/main.ts", ...all], { cwd: root });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    this.#child.stdin.on("error", () => {});
    this.exited = new Promise((resolve) => this.#child.once("close", resolve));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  write(...messages: readonly unknown[]): void {
    for (const message of messages) {
      this.#child.stdin.write(
        typeof message === "string" ? message : `${JSON.stringify({ jsonrpc: "2.0", ...message as Json })}\n`,
      );
    }
  }

  writeBytes(bytes: Uint8Array): void {
    this.#child.stdin.write(bytes);
  }

  /** The next message. Throws if it is not JSON. */
  async next(): Promise<Message> {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error(`The output has ended: ${this.errors}`);
    return JSON.parse(value) as Message;
  }

  end(): void {
    this.#child.stdin.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}

const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: { elicitation: {} } };

function call(id: string | number, name: string, args: Json, more: Json = {}): Json {
  return { id, method: "tools/call", params: { name, arguments: args, ...more } };
}

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: { name: "t", version: "1" } },
};

test("an older client begins, calls, and is asked; nothing but messages is written", async () => {
  await using host = new Host();
  host.write(INITIALIZE, { method: "notifications/initialized" }, "\r\n", "no json\n");
  strictEqual((await host.next()).result?.["protocolVersion"], "2025-11-25");
  const noJson = await host.next();
  deepStrictEqual([noJson.id, noJson.error?.code], [null, -32700]);
  host.write(call("a", "echo", { text: "hi\nho" }));
  const { id, result } = await host.next();
  deepStrictEqual([id, textOf(result)], ["a", "hi\nho"]);
  host.write(call(2, "greet", {}));
  const question = await host.next();
  strictEqual(question.method, "elicitation/create");
  host.write({ id: question.id, result: { action: "accept", content: { name: "Ada" } } });
  deepStrictEqual(textOf((await host.next()).result), "Hello, Ada!");
  host.write({ id: 3, method: "server/discover", params: { _meta: META } });
  strictEqual((await host.next()).error?.code, -32601);
  host.end();
  strictEqual(await host.exited, 0);
  match(host.errors, /noise at the start[\s\S]*noise hi/);
});

test("a modern client calls at once; discovery alone decides nothing", async () => {
  await using host = new Host();
  host.write({ id: "probe", method: "server/discover", params: { _meta: META } });
  deepStrictEqual((await host.next()).result?.["supportedVersions"], ["2026-07-28"]);
  host.write(call(1, "greet", {}, { _meta: META }));
  const asked = await host.next();
  strictEqual(asked.result?.["resultType"], "input_required");
  const { requestState } = asked.result ?? {};
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  host.write(call(2, "greet", {}, { _meta: META, requestState, inputResponses }));
  strictEqual(textOf((await host.next()).result), "Hello, Ada!");
  host.write(
    { ...INITIALIZE, id: 3 },
    call(4, "echo", { text: "x" }),
    call(5, "echo", {}, {
      _meta: { ...META, [VERSION]: "2099-01-01" },
    }),
  );
  deepStrictEqual([(await host.next()).error?.code, (await host.next()).error?.code, (await host.next()).error?.code], [
    -32022,
    -32602,
    -32022,
  ]);
});

test("discovery, then a handshake", async () => {
  await using host = new Host();
  host.write({ id: "probe", method: "server/discover", params: { _meta: META } }, INITIALIZE);
  ok((await host.next()).result);
  strictEqual((await host.next()).result?.["protocolVersion"], "2025-11-25");
});

test("what is under way when the input ends is answered, what was cancelled is not", async () => {
  await using host = new Host();
  host.write(INITIALIZE);
  await host.next();
  host.write(
    call(1, "later", { ms: 60 }, { _meta: { progressToken: "p" } }),
    call(2, "later", { ms: 30 }),
    call(2, "later", { ms: 1 }),
    { method: "notifications/cancelled", params: { requestId: 2 } },
  );
  host.end();
  const seen: unknown[] = [];
  for (let count = 0; count < 3; count++) {
    const { id, method, error } = await host.next();
    seen.push(method ?? [id, error?.code ?? "ok"]);
  }
  deepStrictEqual(seen, ["notifications/progress", [2, -32600], [1, "ok"]]);
  strictEqual(await host.exited, 0);
});

test("LineSplitter gives the same lines, wherever bytes are cut, and says what is too long or no text", () => {
  const text = new TextEncoder().encode("one\r\n\ntwo\nfar too long a line\né€😀\n\ufeffbom\n?\nthree");
  const bytes = text.map((byte) => byte === 0x3f ? 0xff : byte);
  const tooLong = errorResult("payload_too_large", "The line is larger than 9 bytes, the server's limits.bodyBytes");
  const refused = { ...tooLong, start: "far too l" };
  const noText = errorResult("parse_error", "The line is not valid UTF-8");
  for (let cut = 0; cut <= bytes.length; cut++) {
    const splitter = new LineSplitter(9);
    const lines = [...splitter.push(bytes.slice(0, cut)), ...splitter.push(bytes.slice(cut)), splitter.end()];
    deepStrictEqual(lines, ["one", "", "two", refused, "é€😀", "bom", noText, "three"]);
  }
});

test("a line that is too long, or no text, is refused, and the next is answered", async () => {
  await using host = new Host();
  host.write(INITIALIZE);
  await host.next();
  host.write(`${"x".repeat(2_000_000)}`);
  deepStrictEqual([(await host.next()).error?.data?.["code"]], ["payload_too_large"]);
  host.write("\n");
  host.writeBytes(Uint8Array.from([0x22, 0xff, 0x22, 0x0a]));
  deepStrictEqual([(await host.next()).error?.code], [-32700]);
  host.write(call(1, "echo", { text: "on" }));
  deepStrictEqual(textOf((await host.next()).result), "on");
});
