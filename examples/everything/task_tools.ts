/** Tools whose work may outlast their call: promises, which MCP calls tasks. */
import { defineTool, Failure, ToolError } from "jsr:@toolwire/toolwire";
import { content } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { pause } from "./content_tools.ts";

/** How long a call waits for its answer, and a little longer, in milliseconds. */
const BUDGET_MS = 30;
const BEYOND_BUDGET_MS = 120;

const PROMISE = { budgetMs: BUDGET_MS, retries: 0 };

const greet = defineTool("greet")
  .describe("Greets at once")
  .input(v.object({ name: v.string() }))
  .handle(({ name }) => content.text(`Hello, ${name}!`));

const slowCompute = defineTool("slow_compute")
  .describe("Takes its time")
  .input(v.object({ seconds: v.number(), label: v.optional(v.string(), "work") }))
  .promise(PROMISE)
  .handle(async ({ seconds, label }, ctx) => {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, seconds * 1000);
    ctx.signal.addEventListener("abort", () => over.resolve());
    await over.promise;
    clearTimeout(timer);
    ctx.signal.throwIfAborted();
    return content.text(`Computed ${label} in ${seconds} s`);
  });

const failingJob = defineTool("failing_job")
  .describe("Fails after a second")
  .input(v.object({}))
  .promise({ ...PROMISE, required: true })
  .handle(async () => {
    await pause(1_000);
    throw new Failure("intended", "The job failed, as it should");
  });

const protocolErrorJob = defineTool("protocol_error_job")
  .describe("Breaks")
  .input(v.object({}))
  .promise(PROMISE)
  .handle(async () => {
    await pause(BEYOND_BUDGET_MS);
    throw new ToolError("invalid_request", "The job broke, as it should");
  });

const CONFIRM = v.object({ confirm: v.boolean() });

const confirmDelete = defineTool("confirm_delete")
  .describe("Deletes a file, once that is confirmed")
  .input(v.object({ filename: v.string() }))
  .promise(PROMISE)
  .handle(async ({ filename }, ctx) => {
    await ctx.step("look", () => pause(BEYOND_BUDGET_MS));
    const answer = await ctx.elicit("confirm", { message: `Delete ${filename}?`, schema: CONFIRM });
    const isConfirmed = answer.action === "accept" && answer.content.confirm;
    return content.text(isConfirmed ? `Deleted ${filename}` : `Kept ${filename}`);
  });

const multiInput = defineTool("multi_input")
  .describe("Asks two things at once")
  .input(v.object({}))
  .promise(PROMISE)
  .handle(async (_, ctx) => {
    await ctx.step("look", () => pause(BEYOND_BUDGET_MS));
    const answers = await ctx.ask({
      name: { message: "What is your name?", schema: v.object({ name: v.string() }) },
      confirm: { message: "Go on?", schema: CONFIRM },
    });
    return content.text(JSON.stringify(answers));
  });

const withTask = defineTool("test_tool_with_task")
  .describe("Asks for a name, then takes its time")
  .input(v.object({}))
  .promise({ ...PROMISE, required: true })
  .handle(async (_, ctx) => {
    const answer = await ctx.elicit("user_name", {
      message: "What is your name?",
      schema: v.object({ name: v.string() }),
    });
    await pause(BEYOND_BUDGET_MS);
    return content.text(answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello!");
  });

/** All of them. */
export const taskTools = [
  greet,
  slowCompute,
  failingJob,
  protocolErrorJob,
  confirmDelete,
  multiInput,
  withTask,
] as const;
