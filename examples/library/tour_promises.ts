/**
 * The tour's second part: work that takes longer than a caller should wait, its promise, and what the promise is good for.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Client, createClient, type InferOutput } from "jsr:@toolwire/toolwire";
import type { analyzeDataset } from "./analyze_dataset.ts";
import type { server } from "./server.ts";
import { print, printCheck, printStep, printTable } from "./transcript.ts";

type Library = Client<typeof server>;
type Analysis = InferOutput<typeof analyzeDataset>;

/** Has the movies analyzed, which takes seconds. */
export async function waitForWork(url: string): Promise<void> {
  const library = createClient<typeof server>(url);
  const token = await takePromise(library);
  await redeemElsewhere(url, token);
  await awaitAnswer(library);
  await cancelWork(library);
}

async function takePromise(library: Library): Promise<string> {
  printStep(
    "Work that takes a while: a promise instead of an answer",
    "const outcome = await library.analyze_dataset.outcome({",
    '  dataset_id: "movies",',
    '  analysis_type: "comprehensive",',
    "});",
  );
  const outcome = await library.analyze_dataset.outcome({ dataset_id: "movies", analysis_type: "comprehensive" });
  ok(outcome.kind === "promise", "What is not ready within its budget is promised");
  const { token, ttlMs, progress } = outcome;
  printTable([
    ["kind", outcome.kind],
    ["token", `${token.slice(0, 40)}… (${token.length} characters)`],
    ["good for", `${Math.round(ttlMs / 60_000)} minutes`],
    ["progress", progress === undefined ? "none yet" : `${progress.done}%, ${progress.message}`],
  ]);
  return token;
}

async function redeemElsewhere(url: string, token: string): Promise<void> {
  printStep(
    "Redeeming it: whoever has the token can, in any process",
    "const elsewhere = createClient<typeof server>(url);",
    "const work = elsewhere.$.redeem<Analysis>(token);",
    "for await (const { done, message } of work.updates()) console.log(`${done}%`, message);",
    "const analysis = await work.result();",
  );
  const elsewhere = createClient<typeof server>(url);
  const work = elsewhere.$.redeem<Analysis>(token);
  let lastDone = 0;
  for await (const { done, message } of work.updates()) {
    print(`${String(done).padStart(3)}%  ${message}`);
    ok(done >= lastDone, "Work only ever comes further");
    lastDone = done;
  }
  const analysis = await work.result();
  print("", ...analysis.findings.map((finding) => `- ${finding}`));
  strictEqual(analysis.row_count, 3201);
  strictEqual(analysis.estimates.length, 8);
  deepStrictEqual(analysis.correlations[0]?.columns, ["US Gross", "Worldwide Gross"]);
  deepStrictEqual(await work.result(), analysis);
  printCheck("redeemed twice, with the same result");
}

async function awaitAnswer(library: Library): Promise<void> {
  printStep(
    "Simply awaiting the call: the client redeems by itself",
    "const { correlations } = await library.analyze_dataset({",
    '  dataset_id: "penguins",',
    '  analysis_type: "correlations",',
    "});",
  );
  const { correlations } = await library.analyze_dataset({ dataset_id: "penguins", analysis_type: "correlations" });
  printTable(correlations.map(({ columns, coefficient, p_value }) => {
    return [columns.join(" and "), `${coefficient.toFixed(2)} (p = ${p_value.toFixed(4)})`];
  }));
  ok((correlations[0]?.coefficient ?? 0) > 0.8, "Long flippers belong to heavy penguins");
}

async function cancelWork(library: Library): Promise<void> {
  printStep(
    "A promise from the start, and its end before the work's",
    'const unwanted = await library.analyze_dataset.start({ dataset_id: "movies" });',
    "for await (const { message } of unwanted.updates()) break;",
    "await unwanted.cancel();",
  );
  const unwanted = await library.analyze_dataset.start({ dataset_id: "movies" });
  let underWay: string | undefined;
  for await (const { message } of unwanted.updates()) {
    underWay = message;
    break;
  }
  const isCancelled = await unwanted.cancel();
  const status = await unwanted.status();
  ok(status.kind === "failure", "What was cancelled has failed");
  printTable([
    ["under way", underWay ?? "nothing"],
    ["cancelled", String(isCancelled)],
    ["status", `${status.kind}: ${status.code}`],
  ]);
  strictEqual(isCancelled, true);
  strictEqual(status.code, "cancelled");
}
