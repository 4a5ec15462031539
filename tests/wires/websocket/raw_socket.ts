/** A client of a WebSocket in this process that sends any message, valid or not. */
import type { Server } from "../../../mod.ts";
import { openPair, type PairedSocket } from "../socket_pair.ts";

/** A message of the server. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any -- what a test asserts is the shape
  readonly params?: any;
  // deno-lint-ignore no-explicit-any -- what a test asserts is the shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } };
}

/** Lets everything run that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Opens a socket and waits until it was accepted or refused. */
export async function openRaw(
  server: Server,
  headers: Readonly<Record<string, string>> = {},
  protocols: readonly string[] = ["mcp-lite.v1"],
): Promise<PairedSocket> {
  const socket = openPair(server, "ws://localhost/mcp-lite/v1", protocols, headers);
  for (let turn = 0; turn < 1_000 && socket.readyState === 0; turn++) await Promise.resolve();
  return socket;
}

/** What a request to call a tool is. */
export function callText(id: unknown, tool: string, args: unknown = {}, more: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: args, ...more } });
}

/** The messages that a socket has received. */
export function messagesOf({ received }: PairedSocket): Message[] {
  return received.map((text) => JSON.parse(text) as Message);
}
