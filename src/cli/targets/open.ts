/** Opens targets. Large libraries are loaded when a target needs them. */
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { credentialsOf, type TargetFlags } from "./flags.ts";
import type { Target } from "./target.ts";
import { openRecording } from "./recording.ts";
import { openModule } from "./module.ts";
import { openProgram } from "./program.ts";
import { openGrpc, openUrl } from "./url.ts";
import { resolveConfigured } from "./configured.ts";
import { candidatesOf } from "./wires.ts";

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
  if (flags.oauth === true && target.kind !== "url" && target.kind !== "configured") {
    throw new CliError(EXIT.usage, "--oauth needs a URL that begins with http:// or https://");
  }
  const { onCredential } = options;
  if (onCredential !== undefined) credentialsOf(flags, context.host.env).forEach((value) => onCredential(value));
  switch (target.kind) {
    case "module":
      return await openModule(target, flags, context.host, options);
    case "url":
      return await openUrlTarget(target.url, flags, context, options);
    case "grpc":
      return await openGrpc(target.address, flags, context.host, options);
    case "program":
      return openProgram(target, flags, context.host, options);
    case "recording":
      return openRecording(target.file, context.host.cwd);
    case "configured": {
      const found = resolveConfigured(target, flags, context.host);
      return await openTarget(found.target, found.flags, context, options);
    }
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
  const { signIn } = await import("./oauth.ts");
  // Servers ask for tokens at their endpoints. Without a path that is the one of MCP, which OAuth is part of.
  const wire = flags.wire ?? (url.pathname === "/" ? "mcp" : undefined);
  const [first] = candidatesOf(url, wire);
  const fetch = await signIn(new URL(first?.url ?? url), flags, context, options);
  return await openUrl(url, wire === undefined ? flags : { ...flags, wire }, context.host, { ...options, fetch });
}
