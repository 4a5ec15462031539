/** Opens targets. The list of a module starts fast: what the other kinds of targets need is loaded with them. */
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { printable } from "../terminal/terminal.ts";
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
  const { terminal } = context;
  if (target.kind === "module") return notingClose(await openModule(target, flags, context.host, options), terminal);
  const { openOtherTarget, resolveConfigured } = await import("./other_targets.ts");
  if (target.kind !== "configured") {
    return notingClose(await openOtherTarget(target, flags, context, options), terminal);
  }
  const found = await resolveConfigured(target, flags, context);
  return await openTarget(found.target, found.flags, context, options);
}

/** A connection that is closed in a `finally`: what its closing throws is noted, and never hides the error of the command. */
export function notingClose(
  connection: TargetConnection,
  terminal: Pick<CliContext["terminal"], "note">,
): TargetConnection {
  const close = connection.close.bind(connection);
  return Object.assign(connection, {
    close: async () => {
      try {
        await close();
      } catch (thrown) {
        terminal.note(
          printable(`Cannot close the target: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
        );
      }
    },
  });
}
