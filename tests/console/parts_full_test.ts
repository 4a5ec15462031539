/** Each part of the console, used in a browser, on servers of Bun, Deno and Node. */
import { after } from "node:test";
import { command, findProgram, type Runtime, runtimes, startProgram, testWith } from "../serve/programs.ts";
import { closeBrowser, withPage } from "./browser_page.ts";
import { inspectServer, PARTS } from "./parts.ts";
import { partsServer } from "./parts_server.ts";

after(closeBrowser);

const HOSTS = runtimes.filter(({ name }) => name !== "node22");
const ENV = { env: { NODE_OPTIONS: "" } };
const LINK = /http:\/\/127\.0\.0\.1:\d+\/console#once=\w+/;

/** Uses the page of a server, and that of `toolwire inspect` in front of it. */
async function useAll(host: Runtime, path: string, chromium: string): Promise<void> {
  let part = "start";
  const inspect = async (target: string) => {
    const words = ["inspect", `${target}/mcp`];
    await using program = await startProgram(command(host, path, "apps/cli/main.ts", ...words), { ...ENV, url: LINK });
    const { origin, hash } = new URL(program.url);
    await withPage({ server: origin, chromium }, async (open) => {
      await open.open(hash);
      await inspectServer(open);
    });
  };
  const use = (server: string | ReturnType<typeof partsServer>) =>
    // Refused calls are errors of the browser's console, too.
    withPage({ server, chromium, width: 1280, expected: /status of 40[03]/ }, async (open) => {
      const inspecting = inspect(open.url);
      inspecting.catch(() => {});
      for (const [name, act] of PARTS) {
        part = name;
        await act(open);
      }
      part = "toolwire inspect";
      await inspecting;
    });
  try {
    if (host.name === "bun") return await use(partsServer());
    await using program = await startProgram(
      command(host, path, "tests/console/parts_server.ts", "--parts"),
      ENV,
    );
    await use(program.url);
  } catch (thrown) {
    throw new Error(`${host.name}, ${part}: ${(thrown as Error).message}`, { cause: thrown });
  }
}

testWith(
  "console: each part works on Bun, Deno and Node",
  [findProgram("chromium"), ...HOSTS.map(({ program }) => program)],
  async (chromium, ...paths) => {
    await Promise.all(HOSTS.map((host, at) => useAll(host, paths[at] ?? "", chromium)));
  },
  180_000,
);
