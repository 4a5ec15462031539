/**
 * One server on HTTP and gRPC at once, and four clients that call it by gRPC: the typed one, `@grpc/grpc-js`, Python's grpcio and
 * `buf curl`. All of them have to see the same, and redeem a promise that was begun over HTTP.
 *
 * Run with `bun examples/grpc/main.ts` or `deno run -A examples/grpc/main.ts`. It ends with 0 if all went as it should, and
 * with 1 and an assertion's message if not. A client that is not installed is left out, by name.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server } from "../library/server.ts";
import { print, printCheck, printStep, printTable } from "../library/transcript.ts";
import { findBuf, visitWithBuf } from "./buf.ts";
import { findPython, visitWithPython } from "./python.ts";
import { visitTyped } from "./typed.ts";
import type { Task, Visit } from "./visit.ts";

const running = await serve(server, { port: 0, grpc: { port: 0 } });
try {
  const address = new URL(running.grpcUrl ?? "").host;
  print("Toolwire: one server, two bindings", `HTTP on ${running.url}/mcp-lite/v1, gRPC on ${address}`);
  await takeTour({ address, token: await beginOverHttp() });
} finally {
  await running.close();
}

async function beginOverHttp(): Promise<string> {
  printStep(
    "A promise, begun over HTTP",
    "const overHttp = createClient<typeof server>(url);",
    'const { token } = await overHttp.analyze_dataset.start({ dataset_id: "penguins" });',
  );
  const overHttp = createClient<typeof server>(`${running.url}/mcp-lite/v1`);
  const { token } = await overHttp.analyze_dataset.start({ dataset_id: "penguins" });
  print(`${token.slice(0, 40)}…`);
  return token;
}

async function takeTour(task: Task): Promise<void> {
  printStep("The typed client", 'const library = createClient<typeof server>(grpcTransport("127.0.0.1:…"));');
  const typed = await visitTyped(task);
  check(typed);
  printVisit(typed);

  printStep("@grpc/grpc-js, from the plain .proto", 'loadSync("proto/mcplite.proto")');
  await compare(typed, "@grpc/grpc-js (npm install @grpc/grpc-js @grpc/proto-loader)", await loadGrpcJs(), task);

  printStep(
    "Python's grpcio, by reflection",
    'library = Stubs(grpc.insecure_channel("127.0.0.1:…")).service("mcplite.MCPLite")',
  );
  const python = findPython();
  await compare(
    typed,
    "Python's grpcio (Debian, Ubuntu: apt install python3-grpcio)",
    python && ((task) => visitWithPython(python, task)),
    task,
  );

  printStep(
    "buf curl, by reflection",
    "buf curl --protocol grpc --http2-prior-knowledge http://127.0.0.1:…/mcplite.MCPLite/CallTool",
  );
  const buf = findBuf();
  await compare(typed, "buf (npm install @bufbuild/buf)", buf && ((task) => visitWithBuf(buf, task)), task);
  print("", "All as it should be.");
}

async function loadGrpcJs(): Promise<((task: Task) => Promise<Visit>) | undefined> {
  try {
    await Promise.all([import("@grpc/grpc-js"), import("@grpc/proto-loader")]);
  } catch {
    return undefined;
  }
  return (await import("./grpc_js.ts")).visitWithGrpcJs;
}

/** Has another client do the same; it has to see the same. */
async function compare(
  typed: Visit,
  name: string,
  visit: ((task: Task) => Promise<Visit>) | undefined | "",
  task: Task,
): Promise<void> {
  if (!visit) return print(`Left out: ${name} is not installed`);
  const seen = await visit(task);
  printVisit(seen);
  deepStrictEqual(seen, typed);
  printCheck("the same as the typed client");
}

function printVisit({ tools, found, report, rows, refusal }: Visit): void {
  printTable([
    ["GetTools", tools.join(", ")],
    ["CallTool", found.join(", ")],
    ["CallToolStream", `${report.length} pieces, ${report.join("").length} characters`],
    ["redeem", `the analysis of ${rows} penguins, promised over HTTP`],
    ["refused", refusal],
  ]);
}

function check({ tools, found, report, rows, refusal }: Visit): void {
  ok(tools.includes("search_documents"));
  strictEqual(found.length, 3);
  ok(found.every((title) => title.startsWith("The Godfather")));
  ok(report.length > 3 && report.join("").includes("344 penguins"));
  strictEqual(rows, 344);
  ok(refusal.includes('"limit"'));
}
