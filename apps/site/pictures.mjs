/**
 * Pictures of pages at three widths, in both themes, for people who change the theme: `node apps/site/pictures.mjs <folder> [<path>…]`.
 *
 * @module
 */
import process from "node:process";
import { join } from "node:path";
import { openBrowser, PAGES } from "./browser.mjs";
import { serveSite } from "./static_server.mjs";

const [folder = ".", ...paths] = process.argv.slice(2);
const { url, close } = await serveSite();
const browser = await openBrowser();
for (const path of paths.length > 0 ? paths : PAGES) {
  for (const width of [390, 900, 1440]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({
        viewport: { width, height: 900 },
        colorScheme,
      });
      await page.goto(url + path, { waitUntil: "networkidle" });
      await page.screenshot({
        path: join(
          folder,
          `${path.replaceAll("/", "_")}_${width}_${colorScheme}.png`,
        ),
        fullPage: true,
      });
      await page.close();
    }
  }
}
await browser.close();
close();
