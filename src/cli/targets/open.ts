/** Opens targets. What a kind of target needs is loaded when one is opened. */
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { credentialsOf, type TargetFlags } from "./flags.ts";
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
  if (flags.oauth === true && target.kind !== "url" && target.kind !== "configured") {
    throw new CliError(EXIT.usage, "--oauth needs a URL that begins with http:// or https://");
  }
  const { onCredential } = options;
  if (onCredential !== undefined) credentialsOf(flags, context.host.env).forEach((value) => onCredential(value));
  switch (target.kind) {
    case "module":
      return await (await import("./module.ts")).openModule(target, flags, context.host, options);
    case "url":
      return await openUrlTarget(target.url, flags, context, options);
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

async function openUrlTarget(
  url: URL,
  flags: TargetFlags,
  context: CliContext,
  options: OpenTargetOptions,
): Promise<TargetConnection> {
  const { openUrl } = await import("./url.ts");
  if (flags.oauth !== true) return await openUrl(url, flags, context.host, options);
  const [{ signIn }, { candidatesOf }] = await Promise.all([import("./oauth.ts"), import("./wires.ts")]);
  // Servers ask for tokens at their endpoints. Without a path that is the one of MCP, which OAuth is part of.
  const wire = flags.wire ?? (url.pathname === "/" ? "mcp" : undefined);
  const [first] = candidatesOf(url, wire);
  const fetch = await signIn(new URL(first?.url ?? url), flags, context, options);
  return await openUrl(url, wire === undefined ? flags : { ...flags, wire }, context.host, { ...options, fetch });
}
