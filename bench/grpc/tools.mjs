// The tools of all servers, and what a server without Toolwire does with a request: check with valibot, run.
import { safeParse } from "valibot";
import { workloads } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";

export const tools = ["add", "medium", "sse"].map((workload) => workloads[workload].tool);

const table = new Map(
  tools.map((tool) => [tool.name, { ...tool, schema: tool.input(valibotKit) }]),
);

/** The tool and its checked arguments. */
export function lookUp(name, args) {
  const tool = table.get(name);
  const input = safeParse(tool.schema, args);
  if (!input.success) throw new Error("Invalid arguments");
  return { tool, input: input.output };
}
