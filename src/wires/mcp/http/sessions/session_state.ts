import { checkOptions, FUNCTION, type OptionRules, required, wholeNumber } from "../../../../internal/options.ts";
import { RecentMap } from "../../../../internal/recent_map.ts";
import { whenSessionsEnd } from "./ended_sessions.ts";

/** Options of {@link sessionState}. */
export interface SessionStateOptions {
  /**
   * Maximum number of sessions with state. When it is exceeded, that of the least recently used session is dropped, and begins again with
   * what `create` makes: let that permit the least. Default: 10,000.
   */
  readonly maxSessions?: number | undefined;
}

const RULES: OptionRules<SessionStateOptions & { readonly create: unknown }> = {
  create: required(FUNCTION),
  maxSessions: wholeNumber(1),
};

/**
 * Values that a server keeps for each MCP session, in the memory of this process: what a server of another SDK has in variables if it is
 * created once for each session. They are dropped when this process ends the session, or when it expires in a store of this process.
 *
 * @example A tool that a session has unlocked
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { mcp, mcpSessions, sessionState } from "jsr:@toolwire/toolwire/mcp";
 *
 * const stateOf = sessionState(() => ({ isUnlocked: false }));
 * const wipe = defineTool("wipe").describe("Delete everything")
 *   .visibleTo((_, { session }) => stateOf(session)?.isUnlocked === true)
 *   .handle(() => "wiped");
 *
 * const server = createServer({ tools: [wipe], wires: [mcp({ sessions: mcpSessions() })] });
 * console.log(server.toolsFor(undefined, "a")); // → []
 * stateOf("a")!.isUnlocked = true;
 * console.log(server.toolsFor(undefined, "a").map(({ name }) => name)); // → ["wipe"]
 * console.log(server.toolsFor(undefined, "b")); // → []
 * ```
 * @param create Makes the values of a new session.
 * @returns Gives the values of a session by its id, which is `ctx.session` in handlers; `undefined` without a session.
 *   Not `ctx.sessionId`, which a caller of another wire may choose.
 * @throws {TypeError} If `create` is not a function, or an option is unknown.
 * @throws {RangeError} If `maxSessions` is out of range.
 */
export function sessionState<State extends object>(
  create: () => State,
  options: SessionStateOptions = {},
): (session: string | undefined) => State | undefined {
  checkOptions("keep the state of sessions", { create, ...options }, RULES);
  const states = new RecentMap<State>(options.maxSessions ?? 10_000);
  const drop = (session: string): void => states.delete(session);
  whenSessionsEnd(drop);
  // It keeps `drop` alive.
  return Object.assign(
    (session: string | undefined) => session === undefined ? undefined : states.getOrMake(session, create),
    {
      drop,
    },
  );
}
