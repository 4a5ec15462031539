import { ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatNginxConfig } from "../../examples/replicas/nginx.ts";

test("formatNginxConfig() writes what the README explains", () => {
  const config = formatNginxConfig({ port: 8000, replicas: [8001, 8002, 8003], folder: "/folder" });
  const readme = readFileSync(new URL("../../examples/replicas/README.md", import.meta.url), "utf8");
  const [, shown = ""] = readme.match(/```nginx\n([^]*?)```/) ?? [];
  const indented = shown.replaceAll(/^(?=.)/gm, "  ");
  ok(indented !== "" && config.includes(indented), `The README shows\n${indented}\nbut nginx gets\n${config}`);
});
