/**
 * Serves `apps/site/.work/dist` on loopback, as a host of static files with clean URLs does.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The built site. */
export const dist = fileURLToPath(new URL(".work/dist", import.meta.url));

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".jpg": "image/jpeg",
};

/** Starts the server on a free port. @returns {Promise<{ url: string, close: () => void }>} */
export async function serveSite() {
  const server = createServer(async ({ url = "/" }, response) => {
    const path = normalize(
      decodeURIComponent(new URL(url, "http://localhost").pathname),
    );
    for (const file of [path, `${path}.html`, join(path, "index.html")]) {
      const bytes = await readFile(join(dist, file)).catch(() => undefined);
      if (bytes !== undefined) {
        return response.setHeader(
          "content-type",
          TYPES[extname(file)] ?? "application/octet-stream",
        ).end(bytes);
      }
    }
    response.writeHead(404).end(await readFile(join(dist, "404.html")));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
