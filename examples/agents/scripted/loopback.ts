/**
 * A service on the loopback interface that takes JSON and gives JSON, as the hosted ones do.
 *
 * @module
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Script } from "./script.ts";

/** A request that breaks the published rules: answered with 400, as the hosted services do. */
export class BrokenRule extends Error {}

/** A request. */
export interface Posted {
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** One of the Server-Sent Events of an answer. */
export interface StreamEvent {
  readonly type?: string;
  readonly [member: string]: unknown;
}

/** An answer of Server-Sent Events. */
export class EventStream {
  readonly events: readonly StreamEvent[];

  constructor(events: readonly StreamEvent[]) {
    this.events = events;
  }
}

/** A service that runs. */
export interface Loopback {
  readonly url: string;
  close(): Promise<void>;
}

const requests = new WeakMap<Script, Posted["body"][]>();

/** The bodies of all requests to the services of a script: what left for the model. */
export function requestsOf(script: Script): readonly Posted["body"][] {
  return requests.get(script) ?? [];
}

function toText(event: StreamEvent): string {
  const name = event.type === undefined ? "" : `event: ${event.type}\n`;
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** Starts a service: for each path what answers it, by throwing {@link BrokenRule} or with JSON. */
export async function startLoopback(
  script: Script,
  paths: Readonly<Record<string, (request: Posted) => unknown>>,
): Promise<Loopback> {
  const bodies = requests.get(script) ?? [];
  requests.set(script, bodies);
  const server = createServer(async (request, response) => {
    // A client's pool would keep the connection past close(), and use it for a later server that gets this port.
    response.setHeader("connection", "close");
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(
        JSON.stringify(body),
      );
    };
    const answer = paths[request.url ?? ""];
    if (request.method !== "POST" || answer === undefined) {
      return reply(404, {
        type: "error",
        error: {
          type: "not_found_error",
          message: `Nothing answers ${request.url}`,
        },
      });
    }
    try {
      const body = JSON.parse(text);
      bodies.push(body);
      const given = answer({ headers: request.headers, body });
      if (!(given instanceof EventStream)) return reply(200, given);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(given.events.map(toText).join(""));
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      reply(thrown instanceof BrokenRule ? 400 : 500, {
        type: "error",
        error: { type: "invalid_request_error", message },
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
