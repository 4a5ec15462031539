// The published types, without `skipLibCheck`, for each platform that users compile for: with the DOM library alone, or with the types
// of Node, Bun or Workers and without the DOM library.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Types of Workers. Its version is that of workerd; only this check needs it. */
const WORKERS = { "@cloudflare/workers-types": "5.20261117.1" };

const LIBRARIES = {
  "@types/node": { lib: ["ES2023"], types: ["node"] },
  "the DOM library": { lib: ["ES2023", "DOM"], types: [] },
  "the DOM library, all of it": { lib: ["ESNext", "DOM", "DOM.Iterable", "DOM.AsyncIterable"], types: [] },
  "@types/bun": { lib: ["ES2023"], types: ["bun"] },
  "@cloudflare/workers-types": { lib: ["ES2023"], types: ["@cloudflare/workers-types"] },
};

/** Compiler options for each library and each way to find modules, by the name of the check. */
export const typeChecks = Object.fromEntries(
  Object.entries(LIBRARIES).flatMap(([name, library]) =>
    ["nodenext", "bundler"].map((moduleResolution) => [`${name}, ${moduleResolution}`, {
      ...library,
      moduleResolution,
      module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
      target: "es2023",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    }])
  ),
);

/** What a project for these checks installs beside the package, as `name@version`: types, and all optional peers. */
export function typeCheckPackages({ peerDependencies, devDependencies }) {
  const names = [...Object.keys(peerDependencies), "@types/node", "@types/bun"];
  const versions = { ...Object.fromEntries(names.map((name) => [name, devDependencies[name]])), ...WORKERS };
  return Object.entries(versions).map(([name, version]) => `${name}@${version}`);
}

/** A program that imports every entry, and uses the types that differ between platforms. */
export function typedConsumer(entries) {
  return `
import { type Client, createClient, createServer, defineTool, memoryTransport } from "toolwire";
import * as v from "toolwire/schema";
${entries.map((entry, index) => `import * as entry${index} from "${entry}";`).join("\n")}

const add = defineTool("add")
  .describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
  .output(v.number())
  .handle(({ a, b }) => a + b);
const server = createServer({ name: "math", version: "1.0.0", tools: [add] });
export const client: Client<typeof server> = createClient<typeof server>(memoryTransport(server));
export const remote: Client<typeof server> = createClient<typeof server>("http://localhost", {
  headers: () => new Headers({ authorization: "Bearer token" }),
  fetch: (url, init) => fetch(url, init),
});
export const response: Response | Promise<Response> = server.fetch(new Request("http://localhost/mcp"));
export const sum: number = await client.add({ a: 1 });
// @ts-expect-error: a is a number
export const wrong: Promise<number> = client.add({ a: "1" });
// @ts-expect-error: there is no such tool
export const unknown: unknown = client.subtract;
export const entries: readonly object[] = [${entries.map((_, index) => `entry${index}`).join(", ")}];
`;
}

/** Writes a project with these compiler options, and returns its path. */
export function writeProject(folder, name, compilerOptions) {
  const project = join(folder, `tsconfig.${name.replaceAll(/\W+/g, "-")}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ["index.ts"] }));
  return project;
}
