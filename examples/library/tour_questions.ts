/**
 * The tour's third part: a tool that asks its caller something, and asks for something.
 *
 * @module
 */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { type AnswerQuestion, createClient } from "jsr:@toolwire/toolwire";
import type { server } from "./server.ts";
import { print, printCheck, printStep, printTable } from "./transcript.ts";

/** Exports a table, answering what the tool asks. */
export async function answerQuestions(url: string): Promise<void> {
  await answerAndGrant(url);
  await answerAndDeny(url);
  await lookAtQuestion(url);
}

async function answerAndGrant(url: string): Promise<void> {
  printStep(
    "A tool that asks: an elicitation, then a request for more resource",
    "const library = createClient<typeof server>(url, {",
    '  onElicitation: (question) => ({ action: "accept", content: { rows: 22 } }),',
    '  onMoreRequested: (question) => ({ action: "accept" }),',
    "});",
    'const { csv } = await library.export_dataset({ dataset_id: "penguins" });',
  );
  const asked: string[] = [];
  const library = createClient<typeof server>(url, {
    onElicitation: ({ kind, message }) => {
      asked.push(`${kind}: ${message}`);
      return { action: "accept", content: { rows: 22 } };
    },
    onMoreRequested: ({ kind, message, params }) => {
      asked.push(`${kind}: ${message} (${params?.["amount"]} ${params?.["resource"]})`);
      return { action: "accept" };
    },
  });
  const { csv, row_count } = await library.export_dataset({ dataset_id: "penguins" });
  print(...asked.map((question) => `? ${question}`));
  const lines = csv.trimEnd().split("\n");
  print("", ...lines.slice(0, 4), `… ${lines.length - 4} more lines`);
  strictEqual(asked.length, 2);
  strictEqual(row_count, 22);
  strictEqual(lines.length, 23);
  printCheck("asked twice, then answered");
}

async function answerAndDeny(url: string): Promise<void> {
  printStep(
    "A caller that grants nothing",
    '… onMoreRequested: () => ({ action: "decline" })',
    'await library.export_dataset({ dataset_id: "penguins" });',
  );
  const library = createClient<typeof server>(url, {
    onElicitation: wantMany,
    onMoreRequested: () => ({ action: "decline" }),
  });
  await rejects(library.export_dataset({ dataset_id: "penguins" }), { name: "Failure", code: "resource_denied" });
  printTable([["failure", "resource_denied"]]);
}

const wantMany: AnswerQuestion = () => ({ action: "accept", content: { rows: 344 } });

async function lookAtQuestion(url: string): Promise<void> {
  printStep(
    "The same as a value: a caller without onElicitation sees the question",
    "const library = createClient<typeof server>(url);",
    'const outcome = await library.export_dataset.outcome({ dataset_id: "penguins" });',
  );
  const library = createClient<typeof server>(url);
  const outcome = await library.export_dataset.outcome({ dataset_id: "penguins" });
  ok(outcome.kind === "elicitation", "Who cannot answer is shown the question");
  const { requests, continuation } = outcome;
  printTable([
    ["kind", outcome.kind],
    ...Object.entries(requests).map(([key, { message }]) => [key, message] as const),
    ["continuation", `${continuation.slice(0, 40)}… (${continuation.length} characters)`],
  ]);
  deepStrictEqual(Object.keys(requests), ["size"]);
}
