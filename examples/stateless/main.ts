/**
 * Renders videos by way of two Workers that share nothing but their keys: what one promises, the other redeems and cancels.
 *
 * Run with `bun examples/stateless/main.ts` or `deno run -A examples/stateless/main.ts`. It ends with 0 if all went as it
 * should, and with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import type { RenderServer, Video } from "./render_server.ts";
import { startWorkers } from "./workers.ts";

const workers = await startWorkers(new URL(".", import.meta.url), ["worker.ts", "farm.ts"], ["east", "west"]);
try {
  console.log(`Two Workers: east on ${workers.urls.east}, west on ${workers.urls.west}`);
  const east = createClient<RenderServer>(`${workers.urls.east}/mcp-lite/v1`);
  const west = createClient<RenderServer>(`${workers.urls.west}/mcp-lite/v1`);

  const harbour = await east.render_video.start({ scene: "harbour", frames: 40 });
  console.log(`\neast promises a video: ${harbour.token.slice(0, 40)}… (${harbour.token.length} characters)`);
  console.log("west redeems it:");
  const seen: number[] = [];
  const video = await west.$.redeem<Video>(harbour.token).result({
    onProgress: ({ done, total, message }) => {
      seen.push(done);
      console.log(`  ${done} of ${total} frames, ${message}`);
    },
  });
  console.log(`  ${video.file}`);
  deepStrictEqual(video, { scene: "harbour", file: "harbour_40.mp4" });
  ok(seen.length > 1 && seen.every((done, index) => done >= (seen[index - 1] ?? 0)), `frames: ${seen}`);
  deepStrictEqual(await harbour.result(), video, "east has the same to say");

  const night = await west.render_video.start({ scene: "night", frames: 10_000 });
  console.log("\nwest promises a long one, east cancels it:");
  strictEqual(await east.$.redeem(night.token).cancel(), true);
  await rejects(night.result(), { name: "Failure", code: "cancelled" });
  console.log("  cancelled; west hears so from the farm");

  deepStrictEqual(await west.render_video({ scene: "dawn", frames: 4 }), { scene: "dawn", file: "dawn_4.mp4" });
  console.log("\nA plain call waits by itself: dawn_4.mp4\n\nAll as it should be.");
} finally {
  await workers.close();
}
