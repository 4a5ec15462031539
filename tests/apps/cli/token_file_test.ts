/** The file of tokens that commands share: one a server, changed under a lock, never torn. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { TokenFile } from "../../../apps/cli/targets/token_file.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const SERVER = new URL("https://api.example/team-a/mcp");

test("commands at the same time do not lose each other's tokens, and a server has its own file", async () => {
  await using home = await temporaryFolder();
  const env = { XDG_CONFIG_HOME: home.path };
  const keys = [...Array(12).keys()].map((number) => `key ${number}`);
  await Promise.all(keys.map((key) => new TokenFile(SERVER, env).set(key, `${key}'s token`)));
  const file = new TokenFile(SERVER, env);
  deepStrictEqual(keys.map((key) => file.get(key)), keys.map((key) => `${key}'s token`));
  await Promise.all(keys.slice(1).map((key) => new TokenFile(SERVER, env).delete(key)));
  deepStrictEqual(keys.map((key) => file.get(key)).filter(Boolean), ["key 0's token"]);
  const other = new TokenFile(new URL("https://api.example/team-b/mcp"), env);
  strictEqual(other.get("key 0"), undefined);
  await other.set("key 0", "x");
  const folder = join(home.path, "toolwire/oauth");
  const names = readdirSync(folder);
  strictEqual(names.length, 2, "no locks, no copies");
  if (process.platform === "win32") return;
  deepStrictEqual(names.map((name) => statSync(join(folder, name)).mode & 0o777), [0o600, 0o600]);
  strictEqual(statSync(folder).mode & 0o777, 0o700);
});

test("lock() lets one command work at a time, which may write", async () => {
  await using home = await temporaryFolder();
  const env = { XDG_CONFIG_HOME: home.path };
  let [working, most] = [0, 0];
  await Promise.all([...Array(4).keys()].map((number) =>
    new TokenFile(SERVER, env).lock("key", async () => {
      most = Math.max(most, ++working);
      await new TokenFile(SERVER, env).set(`key ${number}`, "x");
      working--;
    })
  ));
  strictEqual(most, 1);
});

test("a damaged file is kept beside the new one", async () => {
  await using home = await temporaryFolder();
  const file = new TokenFile(SERVER, { XDG_CONFIG_HOME: home.path });
  await file.set("key", "x");
  const folder = join(home.path, "toolwire/oauth");
  const [name = ""] = readdirSync(folder);
  writeFileSync(join(folder, name), '{"key":"re');
  strictEqual(file.get("key"), undefined);
  await file.set("other", "y");
  const [, copy = ""] = readdirSync(folder).sort();
  strictEqual(readFileSync(join(folder, copy), "utf8"), '{"key":"re');
});
