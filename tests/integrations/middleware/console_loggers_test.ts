/** `pretty()` and `json()`: lines of calls and of messages. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, Failure, memoryTransport } from "../../../mod.ts";
import { type CallLogger, json, pretty } from "../../../src/entries/middleware.ts";
import { collectConsole } from "../../core/dispatch/harness.ts";

const tools = [
  defineTool("ping").describe("Answer").handle(() => "secret answer"),
  defineTool("fails").describe("Fail").handle(() => {
    throw new Failure("sold_out", "secret message");
  }),
  defineTool("breaks").describe("Break").handle((): never => {
    throw new Error("no disk\nforged line", { cause: new TypeError("cause \x1b[2J of it") });
  }),
  defineTool("logs").describe("Log").handle((_, ctx) => {
    ctx.log("debug", "not shown");
    ctx.log("warn", "two\nlines \x1b[31m", { n: 1n, text: "a\u202eb", self: ctx.state });
  }),
];

/** Calls each tool, and one that is unknown. */
async function callAll(logger: CallLogger): Promise<void> {
  const client = createClient(memoryTransport(createServer({ tools, logger }), { principal: { id: "ada" } }));
  for (const name of ["ping", "fails", "breaks", "logs", "un\x1b[2Jknown"]) {
    await client.$.call(name, { argument: "secret argument" }).catch(() => {});
  }
}

async function linesOf(create: (write: (line: string) => void) => CallLogger): Promise<string[]> {
  const lines: string[] = [];
  await callAll(create((line) => void lines.push(line)));
  return lines;
}

test("pretty() writes one line for a call: time, tool, wire, status, milliseconds", async () => {
  const lines = await linesOf((write) => pretty({ write, colors: false }));
  const of = (what: string) => lines.filter((line) => line.includes(what));
  match(of("ping").join(), /^\d\d:\d\d:\d\d\.\d{3} ping memory answer [\d.]+ ms by ada$/);
  match(of("fails").join(), /^\d\d:\d\d:\d\d\.\d{3} fails memory failure sold_out [\d.]+ ms by ada$/);
  match(of("breaks memory").join(), /^\S+ breaks memory error internal [\d.]+ ms by ada docs\/errors\.md#internal$/);
  match(
    of("known").join(),
    /^\S+ un\\u001b\[2Jknown memory error tool_not_found refused docs\/errors\.md#tool_not_found$/,
  );
  strictEqual(lines.length, 7);
  ok(!lines.join().includes("secret"), lines.join("\n"));
});

test("pretty() shows the stack of an error and its causes, indented, and escapes control characters", async () => {
  const lines = await linesOf((write) => pretty({ write, colors: false }));
  const broken = lines.find((line) => line.includes("Tool call broke"))?.split("\n") ?? [];
  match(
    broken[0] ?? "",
    /^\S+ ERROR Tool call broke tool="breaks" hint="The caller gets [^"]+" correlationId="[\da-f-]{36}"$/,
  );
  ok(broken.slice(1).every((line) => line.startsWith("    ")), broken.join("\n"));
  ok(broken.some((line) => /^ +at .+:\d+/.test(line)), broken.join("\n"));
  ok(broken.some((line) => line.includes("caused by: TypeError: cause \\u001b[2J of it")), broken.join("\n"));
  const logged = lines.find((line) => line.includes("WARN"));
  match(logged ?? "", /WARN two\\nlines \\u001b\[31m tool="logs" callId=\S+ n="1" text="a\\u202eb" self=\{\}$/);
  // deno-lint-ignore no-control-regex
  ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(lines.join("\n")));
});

test("json() writes an object for each line, whose head no field replaces", async () => {
  const lines = (await linesOf((write) => json({ write }))).map((line) => JSON.parse(line) as Record<string, unknown>);
  const [{ time, callId, tookMs, ...ping } = {}] = lines;
  deepStrictEqual(ping, {
    level: "info",
    message: "Called",
    tool: "ping",
    wire: "memory",
    principal: "ada",
    outcome: "answer",
  });
  ok(!Number.isNaN(Date.parse(String(time))) && typeof callId === "string" && typeof tookMs === "number");
  const broken = lines.find(({ message }) => message === "Tool call broke")?.["error"] as Record<string, string>;
  deepStrictEqual([broken["name"], broken["message"]], ["Error", "no disk\nforged line"]);
  match(broken["stack"] ?? "", /\n +at .+:\d+[^]*caused by: TypeError/);
  deepStrictEqual(lines.map(({ level }) => level), ["info", "info", "error", "error", "warn", "info", "info"]);
  const written: string[] = [];
  json({ write: (line) => written.push(line) }).info("m", { message: "other", level: "x", time: 1, n: 2 });
  const { time: _, ...fields } = JSON.parse(written.join()) as Record<string, unknown>;
  deepStrictEqual(fields, { level: "info", message: "m", n: 2 });
});

test("json() and pretty() write fields that are not JSON", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const written: string[] = [];
  const write = (line: string) => void written.push(line);
  for (const logger of [json({ write }), pretty({ write, colors: false })]) {
    logger.warn("odd", { cycle, run() {}, n: 1 });
  }
  match(written[0] ?? "", /"message":"odd","cycle":"Not JSON: TypeError.*","run":"function","n":1}$/);
  match(written[1] ?? "", /WARN odd cycle="Not JSON: TypeError.*" run="function" n=1$/);
});

test("the line of an error is written whatever was thrown", async () => {
  const unprintable = Object.assign(Object.create(null), { status: 500 }) as object;
  for (const thrown of [unprintable, new Error("x", { cause: { status: 500 } })]) {
    const written: string[] = [];
    const write = (line: string) => void written.push(line);
    const fails = defineTool("fails").describe("Fail").handle(() => {
      throw thrown;
    });
    const server = createServer({ tools: [fails], logger: pretty({ write, colors: false }) });
    await rejects(createClient(memoryTransport(server)).$.call("fails"), { code: "internal" });
    match(written[0] ?? "", /ERROR Tool call broke[^]*{"status":500}/);
  }
});

test("pretty() writes a line of a handler as it is, whatever its fields are named", () => {
  const written: string[] = [];
  const fields = { outcome: "paid", wire: "bank" };
  pretty({ write: (line) => written.push(line), colors: false }).info("Payment done", fields);
  match(written.join(), / INFO Payment done outcome="paid" wire="bank"$/);
});

test("errors are read before their toJSON, which could show credentials", () => {
  const error = Object.assign(new Error("refused"), { toJSON: () => ({ authorization: "Bearer secret" }) });
  const written: string[] = [];
  const write = (line: string) => void written.push(line);
  for (const logger of [json({ write }), pretty({ write, colors: false })]) {
    logger.error("x", { error, nested: { error } });
  }
  ok(!written.join().includes("secret") && written.length === 2, written.join());
});

test("`level` drops lines below it; lines of failed calls stay", async () => {
  const lines = await linesOf((write) => pretty({ write, colors: false, level: "warn" }));
  deepStrictEqual(lines.map((line) => line.split(" ").slice(1, 3).join(" ")), [
    "ERROR Tool",
    "breaks memory",
    "WARN two\\nlines",
  ]);
});

test("colours are used if they are asked for, and not where standard error is no terminal", async () => {
  const colored = await linesOf((write) => pretty({ write, colors: true }));
  // deno-lint-ignore no-control-regex
  match(colored[0] ?? "", /^\x1b\[2m[\d:.]+\x1b\[0m ping memory \x1b\[32manswer\x1b\[0m /);
  const { process } = globalThis as { process?: { stderr?: { isTTY?: boolean } } };
  if (process?.stderr?.isTTY === true) return;
  const plain = await linesOf((write) => pretty({ write }));
  ok(!plain.join().includes("\x1b"));
});

test("lines go to console.error, whatever they contain", async () => {
  const lines = await collectConsole(() => Promise.resolve(pretty({ colors: false }).warn("100 %s %d")));
  strictEqual(lines.length, 1);
  match(String(lines[0]?.[1]), /WARN 100 %s %d$/);
});

test("a logger whose output fails does not break a call", async () => {
  const logger = pretty({
    write() {
      throw new Error("full");
    },
  });
  const client = createClient(memoryTransport(createServer({ tools, logger })));
  strictEqual(await client.$.call("ping"), "secret answer");
  await rejects(client.$.call("unknown"), { code: "tool_not_found" });
});

test("wrong options are refused", () => {
  throws(() => pretty({ color: true } as never), /there is no option "color"; did you mean "colors"\?/);
  throws(() => json({ level: "warning" as never }), /level must be "debug" or "info" or "warn" or "error"/);
  throws(
    () => createServer({ tools, logger: pretty as never }),
    /logger must be .*, not a function: call it, pretty\(\)$/,
  );
});
