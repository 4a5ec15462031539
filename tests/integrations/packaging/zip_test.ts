/** Archives of `writeZip()`, read back by their central directory. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { writeZip } from "../../../src/integrations/packaging/zip.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Reads the files by the directory at the end, as programs do. */
function readZip(bytes: Uint8Array): Record<string, { readonly text: string; readonly crc: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = bytes.byteLength - 22;
  strictEqual(view.getUint32(end, true), 0x06054b50);
  const files: Record<string, { text: string; crc: number }> = {};
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    strictEqual(view.getUint32(at, true), 0x02014b50);
    const [crc, packed] = [view.getUint32(at + 16, true), view.getUint32(at + 20, true)];
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    strictEqual(view.getUint32(local, true), 0x04034b50);
    strictEqual(view.getUint32(local + 14, true), crc);
    // 1980-01-01 00:00 in both headers, on every machine.
    for (const time of [local + 10, at + 12]) strictEqual(view.getUint32(time, true), ((1 << 5) | 1) * 2 ** 16);
    const start = local + 30 + view.getUint16(local + 26, true);
    files[name] = { text: new TextDecoder().decode(inflateRawSync(bytes.subarray(start, start + packed))), crc };
    at += 46 + nameLength;
  }
  strictEqual(at, end);
  return files;
}

test("writeZip() makes an archive that is read back", () => {
  const files = [
    { name: "server/index.mjs", bytes: encode("console.log(1);\n".repeat(1_000)) },
    { name: "manifest.json", bytes: encode("123456789") },
    { name: "übung.txt", bytes: new Uint8Array() },
  ];
  const read = readZip(writeZip(files));
  deepStrictEqual(Object.keys(read), ["manifest.json", "server/index.mjs", "übung.txt"]);
  deepStrictEqual(read["server/index.mjs"]?.text.length, 16_000);
  // The check value of the algorithm.
  deepStrictEqual(read["manifest.json"], { text: "123456789", crc: 0xcbf43926 });
  deepStrictEqual(read["übung.txt"], { text: "", crc: 0 });
});

test("equal files make equal bytes, in any order", () => {
  const files = [{ name: "b", bytes: encode("2") }, { name: "a", bytes: encode("1") }];
  deepStrictEqual(writeZip(files), writeZip(files.toReversed()));
});
