/** Makes one self-contained document of `page.ts`, since views load no other files. */
import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";

/** Builds the page. */
export async function buildPage(): Promise<string> {
  const { outputFiles: [script] } = await build({
    entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  await stop();
  return `<!doctype html>
<meta charset="utf-8">
<title>Sales</title>
<style>
  body { margin: 0; padding: 1rem; font-family: var(--font-sans, sans-serif); color: var(--color-text-primary, CanvasText) }
  main { display: flex; gap: 0.5rem; align-items: end; height: 10rem }
  button { flex: 1; min-height: 1.5rem }
</style>
<h1></h1><main></main><p>Click on a month</p>
<script type="module">${script?.text.replaceAll("</script", "<\\/script")}</script>`;
}
