/** Every way to call a server by a client of its wire: the rows of the suite over all wires. */
import { createClient, type Server, ToolError } from "../../mod.ts";
import type { Outcome, UnknownOutcome } from "../../src/core/call/outcome.ts";
import type { CallEnd, Place } from "../wires/descriptions/description.ts";
import { carries, WIRES } from "../wires/matrix.ts";

/** A client. */
export interface Caller {
  /** Calls a tool. */
  call(tool: string, args?: unknown, options?: CallerOptions): Promise<CallEnd>;
  /** Calls a tool that streams: its pieces, and how it ended. `undefined` where answers have no pieces. */
  readonly stream:
    | ((tool: string, args?: unknown) => Promise<{ pieces: readonly unknown[]; end: CallEnd }>)
    | undefined;
}

/** Options of a call. */
export interface CallerOptions {
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: { readonly message?: string | undefined }) => void) | undefined;
}

/** A server and a client of it. */
export interface Calling {
  readonly server: Server;
  readonly caller: Caller;
}

/** Every way. `create` makes the server, with `wires` of the descriptions. */
export function callers(create: () => Server): readonly Place<Calling>[] {
  return WIRES.map((row) => ({
    column: row.column,
    where: row.name,
    skip: row.skip,
    async open() {
      const server = create();
      const { transport, close } = await row.open(server);
      const client = createClient(transport, { retry: { attempts: 0 } });
      const caller: Caller = {
        call: (tool, args, options) => endOf(client.$.outcome(tool, args, options)),
        stream: !carries(row, "pieces of answers") ? undefined : async (tool, args) => {
          const stream = client.$.stream(tool, args);
          const pieces: unknown[] = [];
          const end = stream.result.then((value): CallEnd => ({ kind: "answer", value }), endOfThrown);
          try {
            for await (const piece of stream) pieces.push(piece);
          } catch {
            // It is reported as the end of the call.
          }
          return { pieces, end: await end };
        },
      };
      return {
        server,
        caller,
        async [Symbol.asyncDispose]() {
          transport.close?.();
          await close();
          await server.close(0);
        },
      };
    },
  }));
}

async function endOf(calling: Promise<Outcome | UnknownOutcome>): Promise<CallEnd> {
  try {
    const outcome = await calling;
    if (outcome.kind === "answer") return { kind: "answer", value: outcome.value };
    if (outcome.kind !== "failure") return { kind: "other", what: JSON.stringify(outcome) };
    const { kind, code, message, data } = outcome;
    return { kind, code, message, data };
  } catch (thrown) {
    return endOfThrown(thrown);
  }
}

function endOfThrown(thrown: unknown): CallEnd {
  if (!(thrown instanceof ToolError)) throw thrown;
  return { kind: "error", code: thrown.code, message: thrown.message, data: thrown.details };
}

/** The code of a failure or an error, else the kind of end. */
export function codeOf(end: CallEnd): string {
  return end.kind === "error" || end.kind === "failure" ? end.code : end.kind;
}
