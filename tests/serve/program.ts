/**
 * A server to stop, starve and shout at: `program.ts <hostname> <port> <graceMs> [signal]`.
 *
 * It prints its URL and the events of its handlers. Without a signal it reads commands: `close` shuts it down, twice.
 */
import process from "node:process";
import { createServer } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import { delay, print, tools } from "./tools.ts";

const [, , hostname = "127.0.0.1", port = "0", graceMs = "1000", signal] = process.argv;

const server = createServer({ name: "program", version: "1.0.0", tools });

try {
  const listening = await serve(server, {
    hostname,
    port: Number(port),
    graceMs: Number(graceMs),
    signals: signal === undefined ? [] : [signal as "SIGTERM"],
  });
  print(`Listening on ${listening.url}`);
  void listening.closed.then(() => print("closed resolved"));
  if (signal === undefined) {
    for await (const line of process.stdin.setEncoding("utf8")) {
      if (String(line).trim() !== "close") continue;
      const closing = listening.close();
      print(`closing; same promise: ${closing === listening.close()}`);
      await closing;
      print("close resolved");
      break;
    }
    // Handlers that were ended at the grace may still tidy up.
    await delay(200);
    process.exit(0);
  }
} catch (error) {
  print(`Cannot listen: ${String(error)} code=${(error as { code?: unknown }).code}`);
  process.exit(1);
}
