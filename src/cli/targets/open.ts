/** Opens targets. What a kind of target needs is loaded when one is opened. */
import type { CliContext } from "../context.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import type { TargetFlags } from "./flags.ts";
import type { Target } from "./target.ts";

/**
 * Opens a target. To be closed by the caller.
 *
 * @throws {CliError} If it cannot be reached, or supports no known protocol.
 */
export async function openTarget(
  target: Target,
  flags: TargetFlags,
  context: CliContext,
  options: OpenTargetOptions = {},
): Promise<TargetConnection> {
  switch (target.kind) {
    case "module":
      return await (await import("./module.ts")).openModule(target, flags, context.host, options);
    case "url":
      return await (await import("./url.ts")).openUrl(target.url, flags, context.host, options);
    case "grpc":
      return await (await import("./url.ts")).openGrpc(target.address, flags, context.host, options);
    case "program":
      return (await import("./program.ts")).openProgram(target, flags, context.host, options);
    case "recording":
      return (await import("./recording.ts")).openRecording(target.file, context.host.cwd);
    case "configured": {
      const { resolveConfigured } = await import("./configured.ts");
      const found = resolveConfigured(target, flags, context.host);
      return await openTarget(found.target, found.flags, context, options);
    }
  }
}
