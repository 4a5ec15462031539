import type { MaybePromise } from "../internal/async.ts";
import type { Body, Head, MountedWire, Reply, WireHost } from "../wires/wire.ts";

/** Finds out who calls, for all wires alike: made by the functions of `./auth`, which bring its code along. */
export interface Auth {
  /**
   * Binds it to a server.
   *
   * @param routes The server's wires by their paths, mounted after this: to be looked at once there are requests.
   */
  mount(host: WireHost, routes: ReadonlyMap<string, MountedWire>): MountedAuth;
}

/** What finds out who calls one server. */
export interface MountedAuth extends Pick<WireHost, "challenge"> {
  /** Has the wire answer a request, whose head then says who makes it, unless its path is public; or answers in its place. Never throws, never rejects. */
  answer(head: Head, body: Body, wire: MountedWire): MaybePromise<Reply>;
}
