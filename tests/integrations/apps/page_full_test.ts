/** Pages of views from files and addresses. */
import { match, strictEqual, throws } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createServer, defineTool } from "../../../mod.ts";
import { view, type ViewOptions } from "../../../src/entries/apps.ts";
import { runtime } from "../../runtime/runtime.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { modern, type Reply } from "../../wires/mcp/server/client.ts";

const HTML = "<!doctype html><title>Page</title>";
const skip = runtime === "workerd" && "it has no files";

/** Creates a server whose only tool has this view; the function reads its page. */
function serve(options: ViewOptions, log: string[] = []): () => Promise<Reply> {
  const tool = defineTool("t").describe("D").view(view(options)).handle(() => 1);
  const error = (_: string, fields: unknown = {}) => void log.push(String((fields as { error?: unknown }).error));
  const logger = { debug: error, info: error, warn: error, error };
  const server = createServer({ tools: [tool], logger });
  const uri = (server.tools[0]?._meta?.["ui"] as { resourceUri: string }).resourceUri;
  return () => modern(server, "resources/read", { uri });
}

function textOf({ last }: Reply): string | undefined {
  return (last.result?.["contents"] as readonly { readonly text: string }[] | undefined)?.[0]?.text;
}

test("a file is read at the start, by path or URL", { skip }, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "view.html");
  writeFileSync(file, HTML);
  const reads = [file, pathToFileURL(file), pathToFileURL(file).href].map((file) => serve({ file }));
  writeFileSync(file, "changed");
  for (const read of reads) strictEqual(textOf(await read()), HTML);
  throws(() => view({ file }), /the file .*view.html has to be a whole document.*it begins with "changed"/);
  throws(() => view({ file: folder.path }), /cannot be read \(EISDIR\)/);
  throws(() => view({ file: `${file}x` }), /view.htmlx does not exist; for a file beside the module, pass new URL/);
});

test("an address is fetched once it can be, and kept; its problems are in the log alone", { skip }, async () => {
  const answers = ["404", "302", "<p>not a document", HTML];
  let fetched = 0;
  const http = createHttpServer((_, response) => {
    const answer = answers[fetched++] ?? "none";
    const status = /^\d+$/.test(answer) ? Number(answer) : 200;
    response.writeHead(status, { location: "/elsewhere" }).end(answer);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  try {
    const log: string[] = [];
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/view.html`;
    const read = serve({ url }, log);
    for (const problem of [/has the status 404/, /has the status 404/, /has to be a whole document/]) {
      const { last } = await read();
      strictEqual(last.error?.code, -32603);
      strictEqual(JSON.stringify(last).includes("127.0.0.1"), false);
      match(log.at(-1) ?? "", problem);
    }
    for (let reads = 0; reads < 2; reads++) strictEqual(textOf(await read()), HTML);
    strictEqual(fetched, 4);
  } finally {
    http.closeAllConnections();
    http.close();
  }
});
