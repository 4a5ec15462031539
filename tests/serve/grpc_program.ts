/**
 * A server with gRPC beside the other wires: `grpc_program.ts <options of serve() as JSON>`.
 *
 * It prints its URLs, the events of its handlers, and the errors that it masks. `close` shuts it down, `memory` prints its memory.
 */
import process from "node:process";
import { createServer, mcpLite } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { delay, logger, print, tools } from "./tools.ts";

const server = createServer({
  name: "grpc program",
  version: "1.0.0",
  tools,
  logger,
  keys: `k1:${"k".repeat(32)}`,
  wires: [mcpLite(), grpc()],
  // Answers that wait in sockets are larger than what is given by default.
  limits: { answerChars: 33_554_432 },
});

try {
  const listening = await serve(server, { port: 0, ...JSON.parse(process.argv[2] ?? "{}") });
  print(`Listening on ${listening.url}`);
  print(`gRPC on ${listening.grpcUrl}.`);
  for await (const line of process.stdin.setEncoding("utf8")) {
    const asked = String(line).trim();
    if (asked === "memory") print(`holds ${process.memoryUsage.rss()} bytes`);
    if (asked !== "close") continue;
    print("closing");
    await listening.close();
    print("close resolved");
    break;
  }
  // Handlers that were ended at the grace may still tidy up.
  await delay(200);
  process.exit(0);
} catch (error) {
  print(`Cannot listen: ${String(error)} code=${(error as { code?: unknown }).code}`);
  process.exit(1);
}
