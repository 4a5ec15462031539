/** Skills of a server, and a client that verifies them. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { group } from "../../../src/entries/compose.ts";
import { mcp, mcpTransport } from "../../../src/entries/mcp.ts";
import { readSkills, type Skill, skills, type SkillSource, toolsSkill } from "../../../src/entries/skills.ts";

const COMMITS = `---
name: write-commits
description: How we write commits
license: MIT
version: 1.0
released: 2026-11-23
metadata:
  team: tools
allowed-tools: Read Write
---
# Commits
`;
const BYTES = Uint8Array.of(0xff, 0xfe, 0x00);
const source: SkillSource = {
  path: "git/write-commits",
  files: {
    "SKILL.md": COMMITS,
    "references/a b#1.md": "\uFEFFwith a mark\r\n",
    "references/deep/data.bin": BYTES,
    "scripts/run.py": "print('Größe')",
  },
};
const ROOT = "skill://git/write-commits";

function head(fields: string): string {
  return `---\n${fields}\n---\nText\n`;
}

/** A server with skills, and its client; `change` changes the body of each answer. */
async function open(
  sources: readonly SkillSource[],
  era: "modern" | "legacy" = "modern",
  change = (text: string) => text,
) {
  const server = createServer({ tools: [], resources: await skills(sources), wires: [mcp({ pageSize: 2 })] });
  const transport = mcpTransport("http://localhost/mcp", {
    era,
    async fetch(url: string, init: RequestInit) {
      const response = await server.fetch(new Request(url, init));
      const { status, headers } = response;
      return new Response(change(await response.text()) || null, { status, headers });
    },
  });
  return { server, transport, reader: readSkills(transport) };
}

for (const era of ["modern", "legacy"] as const) {
  describe(`skills over MCP, ${era}`, () => {
    test("a skill is listed with its fields unchanged and the digests of all its files, and each is read and verified", async () => {
      const { reader, transport } = await open([source], era);
      const [skill, ...others] = await reader.list();
      strictEqual(others.length, 0);
      deepStrictEqual(skill?.uri, `${ROOT}/SKILL.md`);
      deepStrictEqual(skill?.frontmatter, {
        name: "write-commits",
        description: "How we write commits",
        license: "MIT",
        version: 1,
        released: "2026-11-23",
        metadata: { team: "tools" },
        "allowed-tools": "Read Write",
      });
      const files = skill?.resources as Exclude<Skill["resources"], "dynamic">;
      deepStrictEqual(files.map(({ uri, size }) => [uri.slice(ROOT.length + 1), size]), [
        ["SKILL.md", new TextEncoder().encode(COMMITS).length],
        ["references/a%20b%231.md", 16],
        ["references/deep/data.bin", 3],
        ["scripts/run.py", 16],
      ]);
      const read = await Promise.all(files.map(({ uri }) => reader.read(skill as Skill, uri)));
      deepStrictEqual(read.map(({ mimeType, text }) => [mimeType, text]), [
        ["text/markdown", COMMITS],
        ["text/markdown", "\uFEFFwith a mark\r\n"],
        ["application/octet-stream", undefined],
        ["text/x-python", "print('Größe')"],
      ]);
      deepStrictEqual(read[2]?.bytes, BYTES);
      deepStrictEqual(await reader.get(`${ROOT}/SKILL.md`), skill);
      deepStrictEqual(
        (await transport.resources.list()).map(({ uri, name, description }) => [uri, name, description]),
        [
          [`${ROOT}/SKILL.md`, "write-commits", "How we write commits"],
        ],
      );
    });

    test("folders are read one level at a time; what is no folder of a skill is refused", async () => {
      const { transport } = await open([source], era);
      const children = async (uri: string, cursor?: string) => {
        const { resources, nextCursor } = await transport.request("resources/directory/read", {
          uri,
          ...(cursor && { cursor }),
        });
        return [
          (resources as { name: string; mimeType: string }[]).map(({ name, mimeType }) => [name, mimeType]),
          nextCursor,
        ];
      };
      deepStrictEqual(await children(ROOT), [
        [["SKILL.md", "text/markdown"], ["references", "inode/directory"]],
        "2",
      ]);
      deepStrictEqual(await children(ROOT, "2"), [[["scripts", "inode/directory"]], undefined]);
      deepStrictEqual(await children(`${ROOT}/references`), [
        [["a b#1.md", "text/markdown"], ["deep", "inode/directory"]],
        undefined,
      ]);
      for (const uri of [`${ROOT}/`, `${ROOT}/SKILL.md`, "skill://git", "skill://git/other", "file:///etc", ""]) {
        await rejects(children(uri), { name: "ToolError" }, uri);
      }
      await rejects(transport.request("resources/directory/read", {}), /params.uri has to be a string/);
      await rejects(transport.request("skills/get", { uri: ROOT }), /There is no such skill/);
      await rejects(transport.request("skills/list", { cursor: "7" }), /params.cursor/);
    });

    test("lists of many skills come in pages", async () => {
      const names = ["a", "b", "c", "d", "e"];
      const many = names.map((name) => ({
        path: name,
        files: { "SKILL.md": head(`name: ${name}\ndescription: One`) },
      }));
      const { reader } = await open(many, era);
      deepStrictEqual((await reader.list()).map(({ frontmatter }) => frontmatter.name), names);
    });
  });
}

test("a server without skills declares no extension and has no such methods", async () => {
  const server = createServer({ tools: [], wires: [mcp()] });
  const transport = mcpTransport("http://localhost/mcp", {
    fetch: (url: string, init: RequestInit) => server.fetch(new Request(url, init)),
  });
  await rejects(transport.request("skills/list"), { code: "method_not_found" });
  strictEqual((await transport.server()).capabilities?.["extensions"], undefined);
});

test("skills of a part are skills of the whole", async () => {
  const part = createServer({ tools: [], resources: await skills([source]) });
  const own = await skills([{ path: "own", files: { "SKILL.md": head("name: own\ndescription: Own") } }]);
  const server = createServer({ tools: [], resources: own, parts: [group("git", part)], wires: [mcp()] });
  const transport = mcpTransport("http://localhost/mcp", {
    fetch: (url: string, init: RequestInit) => server.fetch(new Request(url, init)),
  });
  deepStrictEqual((await readSkills(transport).list()).map(({ frontmatter }) => frontmatter.name), [
    "own",
    "write-commits",
  ]);
});

const CHANGES: readonly (readonly [what: string, reason: RegExp, change: (text: string) => string])[] = [
  [
    "a changed file behind an unchanged digest",
    /does not have the digest/,
    (text) => text.replace("# Commits", "# Changed"),
  ],
  ["a longer file", /bytes, and \d+ are listed/, (text) => text.replace("# Commits", "# Commits of evil")],
  [
    "two files in place of one",
    /did not send one file/,
    (text) => text.replace('"contents":[', '"contents":[{"uri":"a:b","text":""},'),
  ],
  ["no file", /did not send one file/, (text) => text.replace(/"contents":\[.*?\]/, '"contents":[]')],
  [
    "bytes that are no base64",
    /did not send one file/,
    (text) => text.replace(/"text":"---[^}]*?"(?=[,}])/, '"blob":"!"'),
  ],
];

for (const [what, reason, change] of CHANGES) {
  test(`the client refuses ${what}`, async () => {
    let isChanged = false;
    const { reader } = await open([source], "modern", (text) => isChanged ? change(text) : text);
    const [skill] = await reader.list();
    isChanged = true;
    await rejects(reader.read(skill as Skill), (error: { code: string; message: string }) => {
      strictEqual(error.code, "permission_denied");
      match(error.message, reason);
      return true;
    });
  });
}

test("the client refuses a frontmatter that is not that of the file, files that are not listed, and files that cannot be verified", async () => {
  const { reader } = await open([source]);
  const [skill] = await reader.list() as [Skill];
  const changed = { ...skill, frontmatter: { ...skill.frontmatter, description: "Another" } };
  await rejects(reader.read(changed), /its frontmatter is not that of the list/);
  await rejects(reader.read(skill, `${ROOT}/other.md`), /its skill does not list it/);
  await rejects(reader.read({ ...skill, resources: "dynamic" }), /cannot be verified/);
});

for (
  const [what, resources] of Object.entries({
    "a file outside of the skill": [{ uri: "file:///etc/passwd", digest: `sha256:${"0".repeat(64)}`, size: 1 }],
    "a digest of another form": [{ uri: `${ROOT}/a`, digest: "md5:0", size: 1 }],
    "a file without a size": [{ uri: `${ROOT}/a`, digest: `sha256:${"0".repeat(64)}` }],
    "no files": undefined,
  })
) {
  test(`the client refuses a list that has ${what}`, async () => {
    const text = (old: string) =>
      old.replace(
        /"resources":\[.*?\](?=\})/,
        resources === undefined ? '"x":1' : `"resources":${JSON.stringify(resources)}`,
      );
    const { reader } = await open([source], "modern", text);
    await rejects(reader.list(), /files of .* have no valid uri, digest and size/);
  });
}

const INVALID: Readonly<Record<string, readonly [SkillSource, RegExp]>> = {
  "no SKILL.md": [{ path: "a", files: { "b.md": "" } }, /it has no SKILL.md/],
  "no frontmatter": [{ path: "a", files: { "SKILL.md": "# A" } }, /does not begin with frontmatter/],
  "frontmatter that is no YAML": [{ path: "a", files: { "SKILL.md": head("name: [") } }, /is not YAML/],
  "a field twice": [{ path: "a", files: { "SKILL.md": head("name: a\nname: b") } }, /is not YAML/],
  "another name than its folder": [
    { path: "b", files: { "SKILL.md": head("name: a\ndescription: A") } },
    /its name is "a"/,
  ],
  "a name with capitals": [{ path: "A", files: { "SKILL.md": head("name: A\ndescription: A") } }, /its field name/],
  "no description": [{ path: "a", files: { "SKILL.md": head("name: a") } }, /its field description/],
  "metadata that is no text": [{
    path: "a",
    files: { "SKILL.md": head("name: a\ndescription: A\nmetadata:\n  v: 1.0") },
  }, /in quotes/],
  "reserved metadata": [
    { path: "a", files: { "SKILL.md": head('name: a\ndescription: A\nmetadata:\n  io.modelcontextprotocol/x: "1"') } },
    /reserved/,
  ],
  "a path that leaves its folder": [
    { path: "a", files: { "SKILL.md": head("name: a\ndescription: A"), "../b": "" } },
    /is not a path/,
  ],
  "too many files": [
    { path: "a", files: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`${index}`, ""])) },
    /513 files/,
  ],
  "too many bytes": [
    { path: "a", files: { "SKILL.md": head("name: a\ndescription: A"), big: new Uint8Array(16_777_216) } },
    /bytes; 16777216 are allowed/,
  ],
};

for (const [what, [wrong, reason]] of Object.entries(INVALID)) {
  test(`a skill with ${what} is refused`, async () => {
    await rejects(skills([wrong]), (error: Error) => error instanceof TypeError && reason.test(error.message));
  });
}

test("a skill of tools has a line and a signature for each", async () => {
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const { files } = await toolsSkill(createServer({ tools: [ping] }), {
    path: "net",
    description: 'How to "ping": well',
    introduction: "First.",
  });
  const { reader } = await open([{ path: "net", files }]);
  const [skill] = await reader.list() as [Skill];
  strictEqual(skill.frontmatter.description, 'How to "ping": well');
  match((await reader.read(skill)).text ?? "", /First\.\n# Tools\n\n## ping\n\nAnswer\n\n```ts\nping\(\) => /);
});
