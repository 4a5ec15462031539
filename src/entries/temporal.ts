/**
 * Tools whose work is a Temporal workflow.
 *
 * Takes the `Client` of the package `@temporalio/client`, which is not installed with Toolwire.
 *
 * @module
 */
export type { TemporalClient, TemporalHandle, WorkflowStart } from "../integrations/temporal/client.ts";
export type { WorkflowReference } from "../integrations/temporal/executor.ts";
export type { Ctx, ErrorMap, OpenState, Pending } from "../core/handler/context.ts";
export type { ExternalWork } from "../core/tool/last_steps.ts";
export { temporal, type TemporalOptions } from "../integrations/temporal/temporal.ts";
