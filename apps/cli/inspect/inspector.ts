/** A gateway in front of a target, with the console. */
import { pretty } from "../../../src/entries/middleware.ts";
import type { Server } from "../../../src/server/server.ts";
import { consolePage } from "../../../src/console/console_page.ts";
import { createProxy, infoOf } from "../record/proxy.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { createLinkAccess } from "./link.ts";

/**
 * Result of {@link createInspector}: a server that passes calls on to the target and serves the console page, and the fragment of the page's
 * URL, whose token is exchanged once.
 */
export interface Inspector {
  /** Passes all calls on to the target. Closing it closes the transport. */
  readonly server: Server;
  /** Fragment of the link to `/console`. */
  readonly fragment: string;
}

/**
 * Creates a server with the console, which passes calls on to a target. Only the first page that opens the link can use it.
 *
 * @param target The target, as `toolwire call` takes it.
 * @param write Receives a line for each call, and warnings.
 * @returns Rejects with `ToolError` if the target cannot be listed.
 */
export async function createInspector(
  connection: TargetConnection,
  target: string,
  write: (line: string) => void,
): Promise<Inspector> {
  const { wire, auth, fragment } = createLinkAccess();
  const server = await createProxy(connection.transport, {
    info: await infoOf(connection),
    logger: pretty({ write, colors: false }),
    wires: [wire, consolePage({ "~target": withoutUser(target) })],
    auth,
  });
  return { server, fragment };
}

/** A target without the user and the password of its URL: the page shows it in calls to copy. */
function withoutUser(target: string): string {
  return target.replace(/^((?:[\w-]+:)??\w+:\/\/)[^\s/?#]*@/, "$1");
}
