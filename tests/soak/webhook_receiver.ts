/** Takes the webhooks of a soak: which calls have ended, and by which ids. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { WEBHOOK_SECRET } from "./tools.ts";

/** A server that answers some of the webhooks with an error, and loses the connection of others. */
export class WebhookReceiver implements AsyncDisposable {
  /** Ids of the webhooks of each call. */
  readonly ids: Map<string, Set<string>> = new Map();
  /** Number of webhooks that came. */
  count = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on("request", (request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("end", () => {
        response.writeHead(receiver.#take(text, request.headers as Record<string, string>)).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Waits until the end of a call has come. */
  async untilEnded(callId: string): Promise<void> {
    while (!this.ids.has(callId)) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** The status of the answer: every third webhook has to come again. */
  #take(text: string, headers: Readonly<Record<string, string>>): number {
    this.count++;
    if (this.count % 3 === 0) return 503;
    const { data } = new Webhook(WEBHOOK_SECRET).verify(text, headers) as {
      readonly data: { readonly call_id: string };
    };
    const ids = this.ids.get(data.call_id) ?? new Set();
    this.ids.set(data.call_id, ids.add(headers["webhook-id"] ?? ""));
    return 204;
  }
}
