// Records the terminal session of docs/stories.md and draws docs/images/session.svg: `node scripts/record_session.mjs`.
// `--draw` draws the recording that is there; `--scene 0 --port 4000` runs one scene at another port, and prints it as JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { recordScene } from "./session/record.mjs";
import { renderSession } from "./session/render.mjs";
import { readScenes } from "./session/scenes.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const RECORDING = join(ROOT, "scripts/session/recording.json");

const { values } = parseArgs({
  options: { draw: { type: "boolean" }, scene: { type: "string" }, port: { type: "string" } },
});
const scenes = readScenes(join(ROOT, "docs/stories.md"));
if (values.scene !== undefined) {
  console.log(JSON.stringify(await recordScene(scenes[Number(values.scene)], ROOT, values.port)));
} else {
  if (values.draw !== true) {
    const recorded = [];
    for (const scene of scenes) recorded.push(await recordScene(scene, ROOT));
    writeFileSync(RECORDING, `${JSON.stringify(recorded, undefined, 2)}\n`);
  }
  writeFileSync(join(ROOT, "docs/images/session.svg"), renderSession(JSON.parse(readFileSync(RECORDING, "utf8"))));
}
