/** A server of 2025-06-18 by hand, odd in the way that its argument says. */
import process from "node:process";
import { createInterface } from "node:readline";

const how = process.argv.at(-1) ?? "";
const end = how === "crlf" ? "\r\n" : "\n";
let cancelled = 0;

const send = (message: object) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + end);
const say = (id: unknown, text: string) => send({ id, result: { content: [{ type: "text", text }] } });

/** JSON that no program can write from a value. */
const DEEP = '{"a":'.repeat(200_000) + "1" + "}".repeat(200_000);

const CALLS: Readonly<Record<string, (id: unknown) => void>> = {
  t: (id) => say(id, "done"),
  pid: (id) => say(id, String(process.pid)),
  env: (id) => say(id, JSON.stringify(Object.keys(process.env))),
  big: (id) => say(id, "x".repeat(100_000)),
  deep: (id) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${DEEP}}${end}`),
  "deep without an id": () => process.stdout.write(`{"jsonrpc":"2.0","result":${DEEP}}${end}`),
  cancelled: (id) => say(id, String(cancelled)),
  exit: () => process.exit(3),
  hang: () => {},
};

function take(line: string): void {
  const { id, method, params } = JSON.parse(line);
  if (how === "noisy") {
    process.stdout.write(`no message${end}${end}{"not": "one"}${end}`);
    process.stderr.write("noise\n");
  }
  if (method === "initialize") {
    send({
      id,
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "0" } },
    });
  } else if (method === "tools/list") {
    send({ id, result: { tools: Object.keys(CALLS).map((name) => ({ name, inputSchema: { type: "object" } })) } });
  } else if (method === "tools/call") {
    CALLS[params.name]?.(id);
  } else if (method === "notifications/cancelled") {
    cancelled++;
  } else if (id !== undefined) {
    if (how === "dies of the unknown") process.exit(1);
    send({ id, error: { code: -32601, message: "Method not found" } });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", take);
if (how === "ends by force alone") process.on("SIGTERM", () => {});
if (how === "does not end with its input" || how === "ends by force alone") setInterval(() => {}, 1_000);
else lines.on("close", () => process.exit(0));
