/**
 * Pages of remote answers. The handle of a remote server is wrapped into a handle of the gateway, bound to the caller, since the
 * remote server may see one caller. The tool `more` of the gateway then reads the rest at the remote server.
 */
import type { CallResult } from "../../core/call/outcome.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import { createHandle, HANDLE_PREFIX, MORE_TOOL } from "../../core/dispatch/answers/handle.ts";
import type { RemoteRun } from "../../core/tool/definition.ts";
import { isJsonObject, type Members } from "../../internal/json.ts";

/** Whether a listed tool is the system tool that reads the rest of answers. Another server may have a tool of its name. */
export function isMore({ name, _meta }: ListedTool): boolean {
  return name === MORE_TOOL.name && isJsonObject(_meta) &&
    Object.keys(MORE_TOOL.meta ?? {}).every((key) => _meta[key] === true);
}

/** The request for a page: of the called tool, or for what follows a handle. */
export function pageRequest(tool: string, { call: { args, position } }: RemoteRun): { tool: string; args: unknown } {
  return position === undefined ? { tool, args } : { tool: MORE_TOOL.name, args: { handle: position.cursor } };
}

/**
 * Wraps the handle of a result, if it has one and the remote server lists `more`.
 *
 * @throws {TypeError} If the server has no keys.
 * @throws {ToolError} `result_too_large`, if the arguments are too long for a handle.
 */
export function wrapHandle<Result extends CallResult>(run: RemoteRun, result: Result): Result {
  if (run.definition.continuationTool !== MORE_TOOL) return result;
  if (result.kind === "answer") {
    const { value } = result;
    return isPage(value) ? { ...result, value: wrapIn(run, value) } : result;
  }
  const isRest = result.kind === "error" && result.code === "result_too_large" && isJsonObject(result.data);
  return isRest && typeof result.data["more"] === "string" ? { ...result, data: wrapIn(run, result.data) } : result;
}

/** Another server may have an answer with a member of that name, which is not a handle. */
function isPage(value: unknown): value is Members {
  return isJsonObject(value) && typeof value["more"] === "string" && value["more"].startsWith(HANDLE_PREFIX);
}

function wrapIn(run: RemoteRun, members: Members): Members {
  return { ...members, more: createHandle(run, { at: 0, cursor: String(members["more"]) }) };
}
