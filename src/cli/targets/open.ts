/** Opens targets. The list of a module starts fast: what the other kinds of targets need is loaded with them. */
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { credentialsOf, type TargetFlags } from "./flags.ts";
import { openModule } from "./module.ts";
import type { Target } from "./target.ts";

/**
 * Opens a target. To be closed by the caller.
 *
 * @throws {CliError} If it cannot be found or loaded, or supports no known protocol. A program is started by its first request.
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
  if (target.kind === "module") return await openModule(target, flags, context.host, options);
  const { openOtherTarget, resolveConfigured } = await import("./other_targets.ts");
  if (target.kind !== "configured") return await openOtherTarget(target, flags, context, options);
  const found = await resolveConfigured(target, flags, context);
  return await openTarget(found.target, found.flags, context, options);
}
