/** The caller of calls that the console makes in the process of the server. */
import type { Metadata, Principal } from "../core/call/call.ts";
import { type Head, HeadPeer } from "../wires/wire.ts";
import { ACCESS_KEY_HEADER, CONSOLE_HEADER } from "./access.ts";

/** The caller of a tool, as handlers see it: a principal, and the request's headers but those of the console, such as its key. */
export class ConsolePeer extends HeadPeer<undefined> {
  readonly #principal: Principal | undefined;
  readonly #metadata: Metadata;

  constructor(head: Head, principal: Principal | undefined, isStreamed: boolean) {
    super(head, "console", undefined, isStreamed);
    this.#principal = principal;
    const { metadata } = head;
    this.#metadata = { get: (name) => (isOfConsole(name) ? null : metadata.get(name)) };
  }

  override get principal(): Principal | undefined {
    return this.#principal;
  }

  override get metadata(): Metadata {
    return this.#metadata;
  }
}

function isOfConsole(name: string): boolean {
  const lower = String(name).toLowerCase();
  return lower === CONSOLE_HEADER || lower === ACCESS_KEY_HEADER;
}
