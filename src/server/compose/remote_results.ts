/** What of the results of a remote server is sent to the callers of this one. */
import type { AnswerOutcome, CallResult, FailureOutcome } from "../../core/call/outcome.ts";
import { RESERVED_META } from "../../core/call/call_meta.ts";
import { withinLimits } from "../../core/dispatch/sendable.ts";
import type { RemoteRun, ToolDefinition } from "../../core/tool/definition.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members of `_meta` that MCP adds for the remote result; they are not passed on. */
const MCP_META: RegExp = /^(?:code|data|toolwire\/.*|io\.modelcontextprotocol\/.*)$/s;

/** The `_meta` of a result without what the wire writes itself, with what the handler has added. */
export function metaOf(run: RemoteRun, { meta }: AnswerOutcome | FailureOutcome): { readonly meta?: Members } {
  const kept = Object.entries(meta ?? {}).filter(([name]) => !RESERVED_META.has(name) && !MCP_META.test(name));
  const members = { ...Object.fromEntries(kept), ...run.addedMeta };
  return Object.keys(members).length === 0 ? {} : { meta: members };
}

/**
 * The result, or an error if it nests too deep: a transport that is not of this package may not limit what it reads, and some runtimes take
 * seconds to write it. Its size is the other server's.
 */
export async function withinDepth(
  result: CallResult,
  { services }: RemoteRun,
  { name }: ToolDefinition,
): Promise<CallResult> {
  const { outputLimits } = services;
  const ofDepth = { ...outputLimits, answerChars: Infinity };
  return await withinLimits(result, name, { outputLimits: ofDepth, mask: (...given) => services.mask(...given) });
}
