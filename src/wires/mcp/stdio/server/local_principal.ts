/** The caller who is trusted because it started the program. */
import type { Principal } from "../../../../core/call/call.ts";
import type { WireHost } from "../../../wire.ts";

/** Every scope, also those of tools that a gateway adds later. Its items are the scopes of the server's tools at the start. */
class EveryScope extends Array<string> {
  override includes(): boolean {
    return true;
  }
}

/** The caller over stdio: the user who started the program, with id `local`. Every scope is granted, also those of later tools. */
export function localPrincipal({ definitions }: WireHost): Principal {
  return { id: "local", scopes: EveryScope.from(new Set(definitions.flatMap(({ scopes }) => scopes))) };
}
