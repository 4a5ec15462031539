/**
 * A page on one origin, tools on another: `npm run build`, then
 * `bun browser/serve.ts [port of the page] [port of the tools] [file of the build]`.
 */
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server } from "../server.ts";

const [, , pagePort = "8001", toolsPort = "8000", build = `${import.meta.dir}/../../../dist/toolwire.js`] = Bun.argv;

const page = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(pagePort),
  routes: {
    "/": new Response(Bun.file(`${import.meta.dir}/index.html`)),
    "/page.js": new Response(Bun.file(`${import.meta.dir}/page.js`)),
    "/toolwire.js": new Response(Bun.file(build)),
  },
});

// The same tools, for pages of one more origin than their own.
const tools = await serve(server.withOriginPolicy({ origins: [page.url.origin], cors: true }), {
  port: Number(toolsPort),
});

console.log(`Open ${page.url}?server=${tools.url}`);
