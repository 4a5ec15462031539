/** Starts the server as a host does, over a copy of this repository's documentation: `bun examples/files/main.ts`. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createClient } from "jsr:@toolwire/toolwire";
import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
import type { createFiles } from "./server.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "files-"));
await cp(join(here, "../../docs"), folder, { recursive: true });
await cp(join(here, "../../CHANGELOG.md"), join(folder, "CHANGELOG.md"));
await symlink(join(here, "../../package.json"), join(folder, "link.json"));

const runtime = "Deno" in globalThis ? ["run", "-A", "--quiet", "--no-check"] : process.execArgv;
const transport = stdioTransport(process.execPath, [...runtime, join(here, "server.ts"), folder]);
const asked: string[] = [];
let isAgreed = false;
const client = createClient<Awaited<ReturnType<typeof createFiles>>>(transport, {
  onElicitation: ({ message }) => {
    asked.push(message);
    return { action: "accept", content: { replace: isAgreed } };
  },
});

const hits = await client.search({ text: "promise token", limit: 3 });
console.log(hits.map(({ path, line, text }) => `${path}:${line} ${text.trim().slice(0, 80)}`).join("\n"));
strictEqual(hits.length, 3);

// A file that is too long for one answer comes in parts.
let text = "";
let parts = 0;
for await (const part of client.read.items({ path: "CHANGELOG.md" })) {
  text += part;
  parts++;
}
ok(parts > 1, `${parts} parts`);
strictEqual(text, await readFile(join(folder, "CHANGELOG.md"), "utf8"));

// What is outside of the folder stays there.
for (const path of ["../secret.txt", "/etc/hosts.txt", "link.json", "missing/../../x.md"]) {
  await rejects(client.read({ path }), { code: "outside" }, path);
}

// A new file is written. A file that exists is replaced only if the user agrees.
strictEqual(await client.write({ path: "new.md", text: "one" }), "written");
strictEqual(await client.write({ path: "new.md", text: "two" }), "kept");
isAgreed = true;
strictEqual(await client.write({ path: "new.md", text: "two" }), "written");
deepStrictEqual(asked, ["Replace new.md (3 bytes)?", "Replace new.md (3 bytes)?"]);

const [resource] = await transport.resources.read("files:///new.md");
strictEqual(resource && "text" in resource && resource.text, "two");
transport.close();
await rm(folder, { recursive: true });
console.log("All results are as expected.");
