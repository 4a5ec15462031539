// One replica as a process: `replica_program.ts <url of redis> <name>`. It prints its URL and runs the tasks of its standard input.
import process from "node:process";
import { serve } from "../../../src/entries/serve.ts";
import { createReplica } from "./fixture.ts";

const [redis = "", name = ""] = process.argv.slice(2);
const replica = createReplica({ redis, name });
const listening = await serve(replica.server, { port: 0, graceMs: 0 });
console.log(`Serves on ${listening.url}`);
void replica.aborted.passed.then(() => console.log("aborted"));

const tasks: Readonly<Record<string, () => void | Promise<void>>> = {
  notify: () => replica.server.notify.resourceUpdated("docs://readme"),
  /** Closes everything, so that the process ends unless an open handle was left behind. */
  async end() {
    process.stdin.destroy();
    await listening.close();
    await replica.close();
    console.log("ended");
  },
};
process.stdin.on("data", (line) => void tasks[String(line).trim()]?.());
