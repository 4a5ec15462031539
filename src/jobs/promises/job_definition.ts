/** The definition with which a job runs, and the failures of a job that has none. */
import type { FailureOutcome } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";

/** The definition that a job runs: the current one, or the earlier one that it began with. */
export function definitionOf({ revision }: Job, current: ToolDefinition): ToolDefinition {
  const earlier = current.earlierRevisions.find((one) => one.revision === revision);
  if (earlier === undefined || revision === current.revision) return current;
  // The rest, such as the middleware, is that of the server as it is now.
  const { input, output, partial, errors, handler, adapters, config } = earlier;
  return { ...current, input, output, partial, errors, handler, adapters, config, revision };
}

/** The failure of a job whose tool has another revision, and no earlier definition of it. */
export function revisionChanged({ tool }: Job): FailureOutcome {
  const message = `The tool ${tool} has changed since the work began; call it again`;
  return { kind: "failure", code: "revision_changed", message, data: undefined };
}

/** The failure of a job whose config was encrypted with other keys. */
export function configLost({ tool }: Job): FailureOutcome {
  const message = `What the work of ${tool} was configured with can no longer be read; call it again`;
  return { kind: "failure", code: "config_lost", message, data: undefined };
}
