import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { VECTOR_KEY, vectors } from "../core/token/vectors.ts";

const read = (name: string) => readFileSync(new URL(`../../examples/tokens/${name}`, import.meta.url), "utf8");

function python(script: string): ReturnType<typeof spawnSync> {
  return spawnSync("python3", ["-c", script], { encoding: "utf8", timeout: 60_000 });
}

const hasPython = python("import sys; sys.exit(sys.version_info < (3, 9))").status === 0;

test("examples/tokens has the vectors that the tests check", () => {
  deepStrictEqual(JSON.parse(read("vectors.json")), vectors);
  const [kid, secret] = VECTOR_KEY.split(":");
  ok(read("verify.py").includes(`keys = {"${kid}": "${secret}"}`));
});

test("examples/tokens has a Python program that verifies the vectors", {
  // Where everything is expected to be there, nothing is skipped in silence.
  skip: !hasPython && process.env.CI === undefined && "there is no python3 of 3.9 or newer",
}, () => {
  const signed = vectors.filter(({ nonceHex }) => nonceHex === undefined);
  const script = `${read("verify.py")}
for case in json.loads(${JSON.stringify(JSON.stringify(signed))}):
    said = verify(keys, case["kind"], case["token"], case["principal"], 0)
    want = {name: case[name] for name in ("id", "expSeconds", "tool")} | {"data": [case["data"]] if "data" in case else []}
    assert said == want, (said, want)
    for wrong in (case["token"] + "A", case["token"] + "=", case["token"][:-1], "prom_", "prom_A", case["token"].upper()):
        assert verify(keys, case["kind"], wrong, case["principal"], 0) is None, wrong
    assert verify(keys, case["kind"], case["token"], "eve", 0) is None
    assert verify({"k1": "another"}, case["kind"], case["token"], case["principal"], 0) is None
print("verified", ${signed.length})
`;
  const { status, stdout, stderr } = python(script);
  strictEqual(status, 0, String(stderr));
  strictEqual(String(stdout).trim(), `verified ${signed.length}`);
});
