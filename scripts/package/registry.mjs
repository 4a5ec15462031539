// Registries on this machine that have packages of this tree, so that a project installs them by their names.
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

/**
 * A registry of npm with some packages; requests for others are redirected. It has a path that no other has, since npm keeps answers by their
 * URL, and a port comes again: an older package would be installed.
 *
 * @param {readonly { manifest: { name: string, version: string }, bytes: Uint8Array }[]} packages
 * @param {string} upstream Address of the registry that has the others.
 */
export async function startRegistry(packages, upstream) {
  const path = `${randomUUID()}/`;
  const registry = await listen((request, response) => {
    const name = request.url.slice(1).replace(path, "");
    const found = packages.find(({ manifest }) => [manifest.name, `${manifest.name}.tgz`].includes(name));
    if (found === undefined) return response.writeHead(302, { location: new URL(name, upstream).href }).end();
    if (name.endsWith(".tgz")) return response.end(found.bytes);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(describe(found)));
  });
  const describe = ({ manifest, bytes }) => {
    const { name, version } = manifest;
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const shasum = createHash("sha1").update(bytes).digest("hex");
    const dist = { tarball: `${url}${name}.tgz`, integrity, shasum };
    return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } }, time: {} };
  };
  const url = `${registry.url}${path}`;
  return { ...registry, url };
}

/**
 * A registry as JSR, with the package of this tree alone: its sources, whose imports name packages with versions as JSR does.
 *
 * @param {string} root
 * @param {readonly string[]} entries Such as `./serve`. Deno installs the packages of all entries, also those of other platforms, which
 * not every registry has.
 */
export async function startJsr(root, entries) {
  const { name, version, exports, imports } = JSON.parse(readFileSync(join(root, "jsr.json"), "utf8"));
  const chosen = Object.fromEntries(Object.entries(exports).filter(([entry]) => entries.includes(entry)));
  const sources = new Map(
    sourcesOf(root).map((path) => {
      const code = readFileSync(join(root, path), "utf8");
      return [`/${path}`, Buffer.from(code.replaceAll(BARE, (_, before, id) => before + withVersion(id, imports)))];
    }),
  );
  const manifest = Object.fromEntries(Array.from(sources, ([path, bytes]) => {
    const checksum = `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
    return [path, { size: bytes.length, checksum }];
  }));
  const documents = {
    [`/${name}/meta.json`]: { latest: version, versions: { [version]: {} } },
    [`/${name}/${version}_meta.json`]: { exports: chosen, manifest },
  };
  return await listen(({ url }, response) => {
    const bytes = sources.get(url.slice(`/${name}/${version}`.length));
    if (bytes === undefined && !(url in documents)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": bytes === undefined ? "application/json" : "application/typescript" });
    response.end(bytes ?? JSON.stringify(documents[url]));
  });
}

/** An import of a package, without its last quote. */
const BARE = /(\b(?:from|import) ?\(?")([@a-z][^":]*)(?=")/g;

function sourcesOf(root) {
  const files = ["src", "apps/cli"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`)
  );
  return ["mod.ts", ...files.filter((file) => file.endsWith(".ts")).map((file) => file.replaceAll("\\", "/"))];
}

function withVersion(id, imports) {
  const name = id.split("/", id.startsWith("@") ? 2 : 1).join("/");
  return imports[name] === undefined ? id : imports[name] + id.slice(name.length);
}

async function listen(handle) {
  const server = createServer(handle);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
