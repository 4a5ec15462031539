/** Appends records to an audit in a file as fast as it can, until it is killed. */
import process from "node:process";
import { auditFile, auditLog } from "../../../src/entries/decisions.ts";

const [path = ""] = process.argv.slice(2);
const take = auditLog({ sink: auditFile(path) });
for (let n = 1;; n++) {
  const record = { atMs: n, tool: "x".repeat(2_000), args: "", wire: "mcp", callId: `${n}`, attempt: 1, tookMs: 0 };
  await take({ ...record, decision: "allow", outcome: "answer" });
  if (n % 50 === 0) console.log(`taken ${n}`);
}
