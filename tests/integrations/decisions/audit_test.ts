/** The chain of an audit: each changed byte, and each removed, added or moved line, is found; a process that died leaves it intact. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { auditLog, type AuditSink, type CallRecord, decisions, verifyAudit } from "../../../src/entries/decisions.ts";

/** A sink in memory, whose appends may stop in the middle as those of a process that is killed. */
class Paper implements AuditSink {
  text = "";
  /** Characters that the next append stores before it fails; `undefined`: all. */
  cutAt: number | undefined;
  appends = 0;

  readEnd(): string {
    return this.text.slice(-65_536);
  }

  append(text: string): void {
    this.appends++;
    const { cutAt } = this;
    this.cutAt = undefined;
    this.text += text.slice(0, cutAt);
    if (cutAt !== undefined) throw new Error("the process was killed");
  }
}

const record = (tool: string): CallRecord => ({
  ...{ atMs: 1, principal: "ada", tenant: "nörth", tool, args: "0".repeat(64), wire: "mcp", callId: "c", attempt: 1 },
  ...{ decision: "allow", outcome: "answer", tookMs: 1 },
});

async function written(count: number): Promise<Paper> {
  const paper = new Paper();
  const take = auditLog({ sink: paper });
  for (let n = 0; n < count; n++) await take(record(`tool_${n}`));
  return paper;
}

test("calls of a server are lines of an audit that is intact", async () => {
  const paper = new Paper();
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const seam = decisions({ record: auditLog({ sink: paper }) });
  const server = createServer({ tools: [ping], middleware: [seam], logger: false });
  const client = createClient<typeof server>(memoryTransport(server, { principal: { id: "ada", tenant: "north" } }));
  await Promise.all(Array.from({ length: 50 }, () => client.ping({})));
  const { isIntact, lines, problems } = verifyAudit(paper.text);
  deepStrictEqual([isIntact, lines, problems], [true, 50, []]);
  const { n, principal, tenant, tool, outcome } = JSON.parse(paper.text.split("\n")[0] ?? "");
  deepStrictEqual([n, principal, tenant, tool, outcome], [1, "ada", "north", "ping", "answer"]);
  await server.close(0);
});

test("records that come together share a write, and none of them is lost", async () => {
  const paper = new Paper();
  const take = auditLog({ sink: paper });
  await Promise.all(Array.from({ length: 200 }, (_, n) => take(record(`t${n}`))));
  deepStrictEqual([verifyAudit(paper.text).lines, paper.appends < 10], [200, true]);
});

test("each change of a single byte is found, wherever it is", async () => {
  const { text } = await written(5);
  const bytes = new TextEncoder().encode(text);
  strictEqual(verifyAudit(bytes).isIntact, true);
  for (let at = 0; at < bytes.length; at++) {
    for (const change of [1, 0x80]) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ change;
      ok(!verifyAudit(changed).isIntact, `byte ${at} of ${bytes.length}`);
    }
  }
});

test("removed, added, repeated and moved lines are found", async () => {
  const { text } = await written(5);
  const lines = text.trimEnd().split("\n");
  const other = (await written(6)).text.trimEnd().split("\n").at(-1) ?? "";
  const join = (...all: readonly (string | undefined)[]) => `${all.join("\n")}\n`;
  const [a, b, c, d, e] = lines;
  for (
    const changed of [[b, c, d, e], [a, c, d, e], [a, b, b, c, d, e], [a, c, b, d, e], [e, d, c, b, a], [
      a,
      b,
      other,
      c,
      d,
      e,
    ]]
  ) {
    const { isIntact, problems } = verifyAudit(join(...changed));
    ok(!isIntact);
    match(problems[0]?.problem ?? "", /lines were removed, added or moved/);
  }
  const { head } = verifyAudit(text);
  strictEqual(verifyAudit(join(a, b, c)).isIntact, true, "the end alone does not show that lines are missing");
  match(verifyAudit(join(a, b, c), { head }).problems[0]?.problem ?? "", /head is missing/);
  strictEqual(verifyAudit(text, { head: verifyAudit(join(a, b, c)).head }).isIntact, true);
});

test("a process that dies within a write, at any character, leaves an audit that the next one continues", async () => {
  const before = await written(2);
  const length = (await written(3)).text.length - before.text.length;
  for (let cutAt = 0; cutAt <= length; cutAt++) {
    const paper = new Paper();
    paper.text = before.text;
    paper.cutAt = cutAt;
    const dead = auditLog({ sink: paper });
    await rejects(async () => await dead(record("tool_2")), /killed/);
    const next = auditLog({ sink: paper });
    await next(record("later"));
    await next(record("later"));
    const { isIntact, problems } = verifyAudit(paper.text);
    ok(isIntact, `cut at ${cutAt}: ${JSON.stringify(problems)}`);
    const [piece = ""] = paper.text.slice(before.text.length).split("\n");
    const isTorn = cutAt > 0 && cutAt < length - 1;
    if (isTorn) {
      ok(!verifyAudit(paper.text.replace(piece, `${piece.slice(0, -1)}~`)).isIntact, "a changed piece is found");
    }
    if (isTorn) ok(!verifyAudit(paper.text.replace(`${piece}\n`, "")).isIntact, "a removed piece is found");
  }
});

test("an audit whose last line was changed is not continued, and wrong sinks are refused", async () => {
  const paper = await written(2);
  paper.text = paper.text.replace("tool_1", "tool_7");
  await rejects(
    async () => await auditLog({ sink: paper })(record("t")),
    /its last line was changed; verify it, keep it/,
  );
  throws(() => auditLog({} as never), TypeError);
  throws(() => auditLog({ sink: {} as never }), { name: "TypeError", message: /a sink such as auditFile\(path\)/ });
});
