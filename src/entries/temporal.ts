/**
 * Tools whose work is a Temporal workflow. It is needed where workflows exist already, and takes the `Client` of the package
 * `@temporalio/client`, which is not installed with Toolwire.
 *
 * @example A tool that starts a workflow
 * ```ts fragment
 * import { defineTool } from "jsr:@toolwire/toolwire";
 * import { temporal } from "jsr:@toolwire/toolwire/temporal";
 * import { Client, Connection } from "@temporalio/client";
 *
 * const connection = await Connection.connect({ address: "localhost:7233" });
 * const order = defineTool("order").describe("Order something")
 *   .external(temporal({ client: new Client({ connection }), workflow: "order", taskQueue: "orders" }));
 * console.log(order.name);
 * ```
 *
 * @module
 */
export type { TemporalClient, TemporalHandle, WorkflowStart } from "../integrations/temporal/client.ts";
export type { WorkflowReference } from "../integrations/temporal/executor.ts";
export type { Ctx, ErrorMap, OpenState, Pending } from "../core/handler/context.ts";
export type { ExternalWork } from "../core/tool/last_steps.ts";
export { temporal, type TemporalOptions } from "../integrations/temporal/temporal.ts";
