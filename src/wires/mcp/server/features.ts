/** Parts of MCP that only some servers need, as values: tasks, resources with prompts, and methods beside those of MCP. */
import type { WireHost } from "../../wire.ts";
import { ContentHandlers } from "./content_handlers.ts";
import type { McpMethods } from "./custom_method_types.ts";
import { CustomMethods } from "./custom_methods.ts";
import { handleLegacyTask, readTaskRequest } from "./legacy_tasks.ts";
import { Tasks } from "./tasks.ts";
import type { ToolCallRunner } from "./tool_calls.ts";
import type { McpTools } from "./tools.ts";

/**
 * The feature of `mcp()` that serves deferred calls as MCP tasks: for clients with the extension of tasks (2026-07-28), or for a call that
 * requests a task (2025-11-25). Its value: {@link mcpTasks}.
 */
export interface McpTasks {
  /** @internal */
  readonly "~serve": (host: WireHost, tools: McpTools, calls: ToolCallRunner) => ServedTasks;
}

/** The feature of `mcp()` that serves resources, prompts and completion. Its value: {@link mcpCatalog}. */
export interface McpCatalog {
  /** @internal */
  readonly "~serve": (host: WireHost, pageSize: number) => ContentHandlers;
}

/** The feature of `mcp()` that serves methods beside those of MCP. Its value: {@link mcpMethods}. */
export interface McpCustomMethods {
  /** @internal */
  readonly "~serve": (host: WireHost, methods: McpMethods) => CustomMethods;
}

/** The parts that `mcp()` of a server of `./core` needs as values. Servers of the front door have them all. */
export interface McpFeatures {
  /** Tasks of clients, for tools that give promises: `mcpTasks`. */
  readonly tasks?: McpTasks | undefined;
  /** Methods of resources, prompts and completion: `mcpCatalog`. */
  readonly catalog?: McpCatalog | undefined;
  /** Methods beside those of MCP, which the option `methods` has: `mcpMethods`. */
  readonly customMethods?: McpCustomMethods | undefined;
}

/** Serves promised work as MCP tasks, in the forms of 2026-07-28 and 2025-11-25. */
export class ServedTasks extends Tasks {
  readonly readLegacyRequest: typeof readTaskRequest = readTaskRequest;
  readonly handleLegacy: typeof handleLegacyTask = handleLegacyTask;
}

/** Serves promised work as tasks, for `mcp({ tasks: mcpTasks })` on a server of `./core`. */
export const mcpTasks: McpTasks = { "~serve": (host, tools, calls) => new ServedTasks(host, tools, calls) };

/** Serves resources, prompts and completion, for `mcp({ catalog: mcpCatalog })` on a server of `./core`. */
export const mcpCatalog: McpCatalog = { "~serve": (host, pageSize) => new ContentHandlers(host, pageSize) };

/** Serves methods beside those of MCP, for `mcp({ methods, customMethods: mcpMethods })` on a server of `./core`. */
export const mcpMethods: McpCustomMethods = { "~serve": (host, methods) => new CustomMethods(host, methods) };

/** All optional features of `mcp()`, for servers of the front door. */
export const MCP_FEATURES: McpFeatures = { tasks: mcpTasks, catalog: mcpCatalog, customMethods: mcpMethods };
