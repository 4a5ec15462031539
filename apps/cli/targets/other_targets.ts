/** Targets that are not modules: servers at a URL, programs and recordings. */
import type { CliContext } from "../context.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import type { TargetFlags } from "./flags.ts";
import { openProgram } from "./program.ts";
import { openRecording } from "./recording.ts";
import { printableLine } from "../terminal/terminal.ts";
import type { Target } from "./target.ts";
import { openGrpc, openUrl } from "./url.ts";
import { candidatesOf } from "./wires.ts";

export { resolveConfigured } from "./configured.ts";

/** A target that is neither a module nor an entry of a host: a URL, a program or a recording. */
type OtherTarget = Exclude<Target, { readonly kind: "module" | "configured" }>;

/** Opens a URL, a gRPC address, a program or a recording. To be closed by the caller. */
export async function openOtherTarget(
  target: OtherTarget,
  flags: TargetFlags,
  context: CliContext,
  given: OpenTargetOptions,
): Promise<TargetConnection> {
  const options = { note: (line: string) => context.terminal.note(printableLine(line)), ...given };
  switch (target.kind) {
    case "url":
      return await openUrlTarget(target.url, flags, context, options);
    case "grpc":
      return await openGrpc(target.address, flags, context.host, options);
    case "program":
      return openProgram(target, flags, context.host, options);
    case "recording":
      return openRecording(target.file, context.host.cwd);
  }
}

async function openUrlTarget(
  url: URL,
  flags: TargetFlags,
  context: CliContext,
  options: OpenTargetOptions,
): Promise<TargetConnection> {
  if (flags.oauth !== true) return await openUrl(url, flags, context.host, options);
  // Its library is large.
  const { signInToTarget } = await import("./oauth.ts");
  // Servers ask for tokens at their endpoints. Without a path that is the one of MCP, which OAuth is part of.
  const wire = flags.wire ?? (url.pathname === "/" ? "mcp" : undefined);
  const [first] = candidatesOf(url, wire);
  const fetch = await signInToTarget(new URL(first?.url ?? url), flags, context, options);
  return await openUrl(url, wire === undefined ? flags : { ...flags, wire }, context.host, { ...options, fetch });
}
