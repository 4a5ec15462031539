/** Headers of the request that opens a WebSocket, with the token that a page sends as a subprotocol. */
import type { Metadata } from "../../../../core/call/call.ts";
import { decodeBase64Url } from "../../../../core/token/base64url.ts";
import type { Head } from "../../../wire.ts";
import { BEARER_SUBPROTOCOL } from "../../messages/socket_protocol.ts";

const decoder = new TextDecoder();

/** The WebSocket subprotocols that a client offers, in its order; `""` alone if it offers none. */
export function offeredProtocols(metadata: Metadata): string[] {
  return (metadata.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
}

/**
 * The headers of a request, as authentication and handlers see them: `authorization` may come from a subprotocol, which is hidden, and
 * there are no cookies from pages of other origins, because browsers send cookies with sockets that any page opens.
 */
export class SocketMetadata implements Metadata {
  readonly #metadata: Metadata;
  readonly #authority: string;

  constructor({ metadata, authority }: Pick<Head, "metadata" | "authority">) {
    this.#metadata = metadata;
    this.#authority = authority;
  }

  /** The same headers, independent of the request. */
  copy(): SocketMetadata {
    const metadata = this.#metadata instanceof Headers ? new Headers(this.#metadata) : this.#metadata;
    return new SocketMetadata({ metadata, authority: this.#authority });
  }

  get(name: string): string | null {
    switch (name.toLowerCase()) {
      case "authorization":
        return this.#metadata.get("authorization") ?? this.#bearer();
      case "cookie":
        return this.#isOtherOrigin() ? null : this.#metadata.get("cookie");
      case "sec-websocket-protocol":
        return offeredProtocols(this.#metadata).filter((offered) => !offered.startsWith(BEARER_SUBPROTOCOL)).join(", ");
      default:
        return this.#metadata.get(name);
    }
  }

  #bearer(): string | null {
    const offered = offeredProtocols(this.#metadata).find((name) => name.startsWith(BEARER_SUBPROTOCOL));
    if (offered === undefined) return null;
    const token = decodeBase64Url(offered.slice(BEARER_SUBPROTOCOL.length));
    return token === undefined ? null : `Bearer ${decoder.decode(token)}`;
  }

  #isOtherOrigin(): boolean {
    const origin = this.#metadata.get("origin");
    const host = this.#metadata.get("host") ?? this.#authority;
    return origin !== null && origin.replace(/^https?:\/\//i, "").toLowerCase() !== host.toLowerCase();
  }
}
