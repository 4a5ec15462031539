// The workflows of the tests, as Temporal bundles them.
import * as workflow from "@temporalio/workflow";
import { toolWorkflow } from "../../../src/entries/temporal/workflow.ts";

const { ApplicationFailure, defineSignal, setHandler, condition } = workflow;

const yes = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"], additionalProperties: false };

/** Reports progress, asks, and answers when the signal `finish` has come. */
export async function render(frames) {
  const tool = toolWorkflow(workflow);
  let isFinished = false;
  setHandler(defineSignal("finish"), () => void (isFinished = true));
  tool.progress(1, frames, "waiting for the approval");
  const answer = await tool.elicit("approval", { message: `Render ${frames} frames?`, schema: yes });
  if (answer.action !== "accept") return answer.action;
  tool.progress(2, frames, "rendering");
  await condition(() => isFinished);
  return `${frames} frames, ${answer.content.ok}`;
}

/** Waits until it is cancelled, or the signal `finish` has come. It has no query. */
export async function waiting() {
  let isFinished = false;
  setHandler(defineSignal("finish"), () => void (isFinished = true));
  await condition(() => isFinished);
  return "finished";
}

/** Fails with a type and a detail. */
export function failing({ type, detail }) {
  throw ApplicationFailure.nonRetryable("No seat is left", type, detail);
}

/** Gives back its argument. */
export function echoing(input) {
  return input;
}
