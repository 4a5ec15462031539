/**
 * A tour of the library: starts the server on a free port, does what a user's script would do, and checks every result.
 *
 * Run with `npm start`, or `bun examples/library/main.ts`, or `deno run -A examples/library/main.ts`. It ends with 0 if
 * all went as it should, and with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import process from "node:process";
import { type Client, createClient, Failure, ToolError } from "jsr:@toolwire/toolwire";
import { grpcTransport } from "jsr:@toolwire/toolwire/grpc";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server } from "./server.ts";
import { waitForWork } from "./tour_promises.ts";
import { answerQuestions } from "./tour_questions.ts";
import { print, printCheck, printStep, printTable } from "./transcript.ts";

type Library = Client<typeof server>;

// Port 0: any that is free. The server listens on the loopback interface only, and serves gRPC on a separate port.
const running = await serve(server, { port: 0, grpc: { port: 0 } });
const url = new URL("/mcp-lite/v1", running.url).href;
try {
  print("Toolwire: the library example", `Serving ${server.tools.length} tools on ${url}`);
  await takeTour(createClient<typeof server>(url));
  await waitForWork(url);
  await answerQuestions(url);
  await callByGrpc(running.grpcUrl ?? "");
  print("", "All as it should be.");
} finally {
  await running.close();
}

async function takeTour(library: Library): Promise<void> {
  await discover(library);
  await search(library);
  await searchByDefault(library);
  await streamReport(library);
  await sendWrongArgument(library);
  await callUnknownTool(library);
  await meetFailure(library);
}

async function discover(library: Library): Promise<void> {
  printStep("What is there?", "const tools = await library.$.list();");
  const tools = await library.$.list();
  printTable(tools.map((tool) => [`${tool.name} (${tool["@type"] ?? "tool"})`, tool.description ?? ""]));
  deepStrictEqual(tools.map(({ name }) => name), [
    // The server's own, which are there because analyze_dataset makes promises.
    ...["redeem", "cancel"],
    ...["search_documents", "generate_report", "describe_dataset", "analyze_dataset", "export_dataset"],
  ]);
  deepStrictEqual(tools.slice(0, 3).map((tool) => tool["@type"]), ["system", "system", "query"]);
}

async function search(library: Library): Promise<void> {
  printStep("A call", 'const hits = await library.search_documents({ query: "coppola godfather", limit: 3 });');
  const hits = await library.search_documents({ query: "coppola godfather", limit: 3 });
  printTable(hits.map(({ document_id, title, excerpt }) => [document_id, `${title}. ${excerpt}`]));
  deepStrictEqual(hits.map(({ title }) => title).sort(), [
    "The Godfather",
    "The Godfather: Part II",
    "The Godfather: Part III",
  ]);
}

async function searchByDefault(library: Library): Promise<void> {
  printStep("The default argument", 'const hits = await library.search_documents({ query: "kodiak" });  // limit: 10');
  const hits = await library.search_documents({ query: "kodiak" });
  printTable(hits.map(({ document_id, title }) => [document_id, title]));
  strictEqual(hits.length, 10);
}

async function streamReport(library: Library): Promise<void> {
  printStep(
    "A streamed report",
    'const report = library.generate_report.stream({ topic: "penguins" });',
    "for await (const piece of report) process.stdout.write(piece);",
  );
  const report = library.generate_report.stream({ topic: "penguins" });
  let text = "";
  let pieceCount = 0;
  for await (const piece of report) {
    process.stdout.write(piece);
    text += piece;
    pieceCount++;
  }
  print("");
  ok(pieceCount > 3, `The report came in ${pieceCount} pieces`);
  strictEqual(await report.result, text);
  ok(text.includes("344 penguins"), "The report counts the penguins");
  printCheck(`${pieceCount} pieces; joined, they are the answer`);
}

async function sendWrongArgument(library: Library): Promise<void> {
  printStep("A wrong argument", 'await library.search_documents({ query: "kodiak", limit: 500 });');
  const error = await rejectionOf(library.search_documents({ query: "kodiak", limit: 500 }));
  ok(error instanceof ToolError, "A refused call rejects with a ToolError");
  const issue = member(member(error.details, "issues"), "0");
  printTable([["code", error.code], ["message", error.message], ["issues", JSON.stringify(issue)]]);
  strictEqual(error.code, "invalid_input");
  deepStrictEqual(member(issue, "path"), ["limit"]);
}

async function callUnknownTool(library: Library): Promise<void> {
  printStep("A tool that is not there", 'await library.$.call("serch_documents", { query: "kodiak" });');
  const error = await rejectionOf(library.$.call("serch_documents", { query: "kodiak" }));
  ok(error instanceof ToolError, "An unknown tool rejects with a ToolError");
  const suggestion = member(error.details, "suggestion");
  printTable([["code", error.code], ["message", error.message], ["suggestion", String(suggestion)]]);
  strictEqual(error.code, "tool_not_found");
  strictEqual(suggestion, "Did you mean 'search_documents'?");
}

async function meetFailure(library: Library): Promise<void> {
  printStep("A failure: the tool says no", 'await library.describe_dataset({ dataset_id: "moviez" });');
  const error = await rejectionOf(library.describe_dataset({ dataset_id: "moviez" }));
  ok(error instanceof Failure, "A failure outcome rejects with a Failure");
  ok(library.describe_dataset.isFailure(error), "The client knows its tool's failures");
  const { available } = error.data;
  printTable([["code", error.code], ["message", error.message], ["available", available.join(", ")]]);
  strictEqual(error.code, "unknown_dataset");
  ok(available.includes("movies"), "The failure names what there is");

  printStep(
    "The same as a value",
    'const refused = await library.describe_dataset.outcome({ dataset_id: "moviez" });',
    'const described = await library.describe_dataset.outcome({ dataset_id: "movies" });',
  );
  const refused = await library.describe_dataset.outcome({ dataset_id: "moviez" });
  strictEqual(refused.kind, "failure");
  strictEqual(refused.code, "unknown_dataset");
  deepStrictEqual(refused.data.available, available);

  const described = await library.describe_dataset.outcome({ dataset_id: "movies" });
  strictEqual(described.kind, "answer");
  const { title, row_count, columns } = described.value;
  printTable([
    ["moviez", `${refused.kind}: ${refused.code}`],
    ["movies", `${described.kind}: ${title}, ${row_count} rows, columns ${columns.map(({ name }) => name).join(", ")}`],
  ]);
  strictEqual(row_count, 3201);
  strictEqual(columns.length, 16);
}

/** More of it in `examples/grpc`. */
async function callByGrpc(grpcUrl: string): Promise<void> {
  printStep(
    "The same by gRPC: another port, the same client",
    "const overGrpc = createClient<typeof server>(grpcTransport(running.grpcUrl));",
    'const penguins = await overGrpc.describe_dataset({ dataset_id: "penguins" });',
  );
  const overGrpc = createClient<typeof server>(grpcTransport(grpcUrl));
  const penguins = await overGrpc.describe_dataset({ dataset_id: "penguins" });
  printTable([["gRPC", grpcUrl], [penguins.title, `${penguins.row_count} rows`]]);
  strictEqual(penguins.row_count, 344);
  overGrpc.$.close();
}

/** Gives what a promise rejects with; the promise must not resolve. */
async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("The call was expected to be refused, and was answered");
}

/** Reads a member of a value that came over the wire and has no type. */
function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
