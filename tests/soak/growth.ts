/**
 * Whether a process grows by what it is asked: a server is called again and again, and what it holds then is compared with what
 * it held when it was warm.
 */
import { fileURLToPath } from "node:url";
import { command, type Runtime, startProgram } from "../serve/programs.ts";
import { KeepAlive, post } from "./keep_alive.ts";

/** What a process holds. */
export interface Holding {
  readonly heap: number;
  readonly rss: number;
  /** `null` where the system does not provide it. */
  readonly descriptors: number | null;
}

/** How one kind of call went. */
export interface GrowthReport {
  readonly runtime: string;
  readonly kind: string;
  readonly count: number;
  /** Before the first call. */
  readonly cold: Holding;
  /** Once it was warm. */
  readonly warm: Holding;
  /** After the last call, when all callers had left. */
  readonly last: Holding;
  readonly seconds: number;
}

/** How a kind of call is made. */
interface Kind {
  /** For so many plain calls, one of these. */
  readonly weight: number;
  /** How long it has to be made until the process is warm, at least, in milliseconds: what is kept is kept for a while. */
  readonly warmMs?: number;
  /** Makes one, and checks its answer. */
  run(connection: KeepAlive, url: string, count: number): Promise<void>;
}

/** How many are made at once. */
const CONNECTIONS = 4;
/** Calls before the first measure: a process grows until it has met everything, and everything is compiled. */
const WARM_SHARE = 0.2;
const WARM_LEAST = 4_000;
/** How often it is checked whether all connections are closed. */
const MAX_LOOKS = 20;

const CALL_PATH = "/mcp-lite/v1/calltools";

function callBody(name: string, args: unknown, meta?: unknown) {
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args, ...(meta !== undefined && { _meta: meta }) },
  };
}

async function expect(answer: Promise<string>, part: string): Promise<string> {
  const text = await answer;
  if (!text.includes(part)) throw new Error(`The answer has no ${part}: ${text}`);
  return text;
}

/** What is measured. */
export const KINDS: Readonly<Record<string, Kind>> = {
  calls: {
    weight: 1,
    async run(connection, _, count) {
      await expect(connection.ask(post(CALL_PATH, callBody("add", { a: count, b: 1 }))), `"content":${count + 1},`);
    },
  },
  "MCP calls": {
    weight: 10,
    async run(connection, _, count) {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add" };
      const request = post("/mcp", callBody("add", { a: count, b: 1 }, meta), headers);
      await expect(connection.ask(request), `"structuredContent":${count + 1}`);
    },
  },
  streams: {
    weight: 10,
    async run(connection) {
      const request = post(CALL_PATH, callBody("pieces", {}), { accept: "text/event-stream" });
      await expect(connection.ask(request), "event: done");
    },
  },
  promises: {
    weight: 20,
    warmMs: 6_000,
    async run(connection, _, count) {
      const body = callBody("later", { n: count }, { promise: true });
      const [, token] = /"promise_token":"([^"]+)"/.exec(await connection.ask(post(CALL_PATH, body))) ?? [];
      const redeem = post(CALL_PATH, callBody("redeem", { promise: token, wait_ms: 10_000 }));
      await expect(connection.ask(redeem), `"content":${count * 2},`);
    },
  },
  questions: {
    weight: 2,
    async run(connection, _, count) {
      // Larger than a request has to be, so that handlers that are kept are noticed.
      const body = callBody("sure", { text: `${count}`.padEnd(2_000) });
      await expect(connection.ask(post(CALL_PATH, body)), `"response_type":"elicitation"`);
    },
  },
  sessions: {
    weight: 20,
    async run(connection, _, count) {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "1" } };
      const begun = await connection.ask(post("/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params }));
      const [, id = ""] = /mcp-session-id: *(\S+)/i.exec(begun) ?? [];
      const session = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
      await expect(connection.ask(post("/mcp", callBody("add", { a: count, b: 1 }), session)), `"result":${count + 1}`);
      const headers = Object.entries(session).map(([name, value]) => `${name}: ${value}\r\n`).join("");
      await expect(connection.ask(`DELETE /mcp HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`), " 200 ");
    },
  },
  "callers that leave": {
    weight: 100,
    async run(_, url, count) {
      const leaving = await KeepAlive.open(url);
      const request = post(CALL_PATH, callBody("pieces", {}), { accept: "text/event-stream" });
      leaving.leave(count % 2 === 0 ? request : request.slice(0, -10));
    },
  },
};

const PROGRAM = fileURLToPath(new URL("growth_program.ts", import.meta.url));
const FLAGS: Readonly<Record<string, readonly string[]>> = { deno: ["--v8-flags=--expose-gc"], node: ["--expose-gc"] };

/** Measures one kind of call, in a separate process. */
export async function measureGrowth(runtime: Runtime, kind: string, calls: number): Promise<GrowthReport> {
  const { weight, warmMs = 0, run } = KINDS[kind] as Kind;
  if ("missing" in runtime.program) throw new Error(runtime.program.missing);
  const flags = FLAGS[runtime.name.replace(/\d+$/, "")] ?? [];
  const withFlags = { ...runtime, args: [...runtime.args, ...flags] };
  await using program = await startProgram(command(withFlags, runtime.program.path, PROGRAM));
  let asked = 0;
  const holding = async (): Promise<Holding> => {
    program.tell(String(++asked));
    const [, json = ""] = await program.printed(new RegExp(`^holds ${asked} (.*)$`, "m"), 60_000);
    return JSON.parse(json) as Holding;
  };
  const count = Math.ceil(calls / weight);
  let made = 0;
  const make = async (until: number, untilMs = 0) => {
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => KeepAlive.open(program.url)));
    await Promise.all(connections.map(async (connection) => {
      while (made < until || performance.now() < untilMs) await run(connection, program.url, made++);
    }));
    connections.forEach((connection) => connection.close());
  };
  const cold = await holding();
  await make(Math.max(count * WARM_SHARE, WARM_LEAST), performance.now() + warmMs);
  let warm = await left(holding, cold);
  const startMs = performance.now();
  await make(made + count);
  const seconds = (performance.now() - startMs) / 1000;
  let last = await left(holding, warm);
  if (opened(warm, last)) {
    // A runtime opens some for itself, once, and not always before it is warm: Deno two. A leak opens as many again.
    warm = { ...warm, descriptors: last.descriptors };
    await make(made + count);
    last = await left(holding, warm);
  }
  return { runtime: runtime.name, kind, count, cold, warm, last, seconds };
}

/** Memory once all connections are closed, which takes a server a moment to see. */
async function left(holding: () => Promise<Holding>, before: Holding): Promise<Holding> {
  let held = await holding();
  for (let looks = 0; looks < MAX_LOOKS && opened(before, held); looks++) held = await holding();
  return held;
}

/** Whether there are more descriptors than before. */
function opened(before: Holding, after: Holding): boolean {
  return before.descriptors !== null && after.descriptors !== null && after.descriptors > before.descriptors;
}

/** How much a process may grow, in bytes. */
const MAX_GROWTH = 12 * 1_000_000;

/** The head of the table. */
export const HEADING: string =
  "| runtime | kind | count | a second | heap, warm | heap | RSS, warm | RSS | descriptors |\n" +
  "|---|---|---|---|---|---|---|---|---|";

/** A row of the table. */
export function formatGrowth({ runtime, kind, count, cold, warm, last, seconds }: GrowthReport): string {
  const grown = (before: number, after: number) => {
    const difference = (after - before) / 1e6;
    return `${(before / 1e6).toFixed(1)} MB | ${difference < 0 ? "" : "+"}${difference.toFixed(1)} MB`;
  };
  const rate = Math.round(count / seconds);
  const descriptors = [cold, warm, last].map((held) => held.descriptors ?? "?").join(" → ");
  return `| ${runtime} | ${kind} | ${count} | ${rate} | ${grown(warm.heap, last.heap)} | ${
    grown(warm.rss, last.rss)
  } | ${descriptors} |`;
}

/**
 * What is off, in words.
 *
 * @param measures What is looked at beside descriptors. Over a short time `rss` says little: runtimes take memory ahead.
 */
export function findGrowth(
  { runtime, kind, warm, last }: GrowthReport,
  measures: readonly ("heap" | "rss")[] = ["heap", "rss"],
): string[] {
  const grown = (what: "heap" | "rss") =>
    last[what] - warm[what] > MAX_GROWTH
      ? [`${runtime}, ${kind}: ${what} grew by ${last[what] - warm[what]} bytes`]
      : [];
  const open = opened(warm, last)
    ? [`${runtime}, ${kind}: ${last.descriptors} descriptors, there were ${warm.descriptors}`]
    : [];
  return [...measures.flatMap(grown), ...open];
}
