import type { Principal } from "../core/call/call.ts";
import { callerKey } from "../internal/caller_key.ts";
import type { ActivityMonitor, Transport } from "../core/call/transport.ts";
import type { MaybePromise } from "../internal/async.ts";

/** Maximum number of principals whose states are kept. When it is exceeded, the least recently used one is ended. */
const MAX_PRINCIPALS = 256;

/** State of one principal, and what decides when it may be closed. */
interface Entry<State> {
  readonly state: State;
  /** The principal as of its last call: its claims may have changed since the state was created. */
  readonly latest: { principal: Principal };
  /** Number of calls that use the state now. */
  running: number;
}

/**
 * What a transport keeps of a server, separately for each principal: a list, a session or a socket that was obtained with the headers of one
 * principal is never used for another.
 */
export class PerPrincipal<State> {
  readonly #create: (principal: () => Principal) => State;
  readonly #end: ((state: State) => void) | undefined;
  readonly #entries = new Map<string, Entry<State>>();

  /**
   * @param create Creates the state of a principal. Its argument returns the principal as of its last call.
   * @param end Ends a state that is not used by any call, or is closed.
   */
  constructor(create: (principal: () => Principal) => State, end?: (state: State) => void) {
    this.#create = create;
    this.#end = end;
  }

  /** The current states. */
  *states(): Generator<State, void, undefined> {
    for (const { state } of this.#entries.values()) yield state;
  }

  /** Runs `work` with the state of a principal, which is kept until then. */
  async run<Value>(principal: Principal, work: (state: State) => Value | Promise<Value>): Promise<Value> {
    const entry = this.#entryOf(principal);
    entry.running++;
    try {
      return await work(entry.state);
    } finally {
      entry.running--;
    }
  }

  /** Ends all states. */
  close(): void {
    const states = [...this.states()];
    this.#entries.clear();
    for (const state of states) this.#end?.(state);
  }

  #entryOf(principal: Principal): Entry<State> {
    const id = callerKey(principal);
    const known = this.#entries.get(id);
    if (known === undefined) {
      this.#evict();
      const latest = { principal };
      const entry: Entry<State> = { state: this.#create(() => latest.principal), latest, running: 0 };
      this.#entries.set(id, entry);
      return entry;
    }
    known.latest.principal = principal;
    // The last one in the map is the most recently used.
    this.#entries.delete(id);
    this.#entries.set(id, known);
    return known;
  }

  #evict(): void {
    if (this.#entries.size < MAX_PRINCIPALS) return;
    for (const [id, { state, running }] of this.#entries) {
      if (running > 0) continue;
      this.#entries.delete(id);
      this.#end?.(state);
      return;
    }
  }
}

/**
 * A transport that consists of a separate one for each principal, and one for requests without.
 *
 * @param create Creates one. Its argument returns the principal as of its last call; it is absent for requests without.
 */
export function separatePrincipals(create: (principal?: () => Principal) => Transport): Required<Transport> {
  const common = create();
  const own = new PerPrincipal(create, (transport) => transport.close?.());
  const run = <Value>({ principal }: ActivityMonitor, work: (transport: Transport) => MaybePromise<Value>) =>
    principal === undefined ? work(common) : own.run(principal, work);
  return {
    call: (call, sink) => run(call.limit, (transport) => transport.call(call, sink)),
    list: (limit) => run(limit, (transport) => transport.list(limit)),
    close() {
      own.close();
      common.close?.();
    },
  };
}
