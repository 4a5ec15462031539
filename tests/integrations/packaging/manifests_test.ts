/** `createServerJson()` and `bundleManifest()`: what they make is valid by the formats' schemas, and what is missing is named. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv, type AnySchema } from "ajv";
import addFormats from "ajv-formats";
import {
  bundleManifest,
  createServerJson,
  type PackageManifest,
  type ServerJsonOptions,
} from "../../../src/entries/packaging.ts";

const PACKAGE: PackageManifest = {
  name: "@ada/weather-server",
  version: "1.2.0-beta.1",
  description: "Weather for cities",
  author: "Ada Lovelace <ada@example.com> (https://ada.example)",
  license: "MIT",
  keywords: ["weather"],
  homepage: "https://weather.example",
  repository: { url: "git+https://github.com/ada/weather.git", directory: "packages/server" },
  mcpName: "io.github.ada/weather",
  bin: "./main.js",
};
const VARIABLES = [{ name: "API_KEY", description: "Key of the service" }, { name: "LEVEL", default: "info" }];

function validatorOf(name: string): (value: unknown) => string {
  const schema = JSON.parse(readFileSync(new URL(`schemas/${name}`, import.meta.url), "utf8")) as AnySchema;
  const ajv = new Ajv({ strict: false });
  (addFormats as unknown as (ajv: Ajv) => void)(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(JSON.parse(JSON.stringify(value))) ? "" : ajv.errorsText(validate.errors);
}

const serverProblems = validatorOf("server.schema.json");
const bundleProblems = validatorOf("mcpb-manifest-v0.3.schema.json");

test("server.json of a package is valid, and has its name and version in each place", () => {
  const entry = createServerJson(PACKAGE, {
    title: "Weather",
    remotes: ["https://weather.example/mcp"],
    variables: VARIABLES,
  });
  strictEqual(serverProblems(entry), "");
  deepStrictEqual(entry, {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: "io.github.ada/weather",
    title: "Weather",
    description: "Weather for cities",
    version: "1.2.0-beta.1",
    websiteUrl: "https://weather.example",
    repository: { url: "https://github.com/ada/weather", source: "github", subfolder: "packages/server" },
    packages: [{
      registryType: "npm",
      identifier: "@ada/weather-server",
      version: "1.2.0-beta.1",
      transport: { type: "stdio" },
      environmentVariables: [
        { name: "API_KEY", description: "Key of the service", isRequired: true, isSecret: true },
        { name: "LEVEL", description: "LEVEL", isRequired: false, isSecret: false, default: "info" },
      ],
    }],
    remotes: [{ type: "streamable-http", url: "https://weather.example/mcp" }],
  });
  const alone = createServerJson({ ...PACKAGE, private: true }, { remotes: ["https://weather.example/mcp"] });
  strictEqual(serverProblems(alone), "");
  strictEqual(alone.packages, undefined);
});

const REFUSED: readonly (readonly [string, object, ServerJsonOptions, RegExp])[] = [
  ["no name", { name: "" }, {}, /package\.json has no name/],
  ["a range as version", { version: "^1.0.0" }, {}, /has the version "\^1\.0\.0"; it has to be exact/],
  ["latest as version", { version: "latest" }, {}, /it has to be exact/],
  ["no description", { description: " " }, {}, /has no description/],
  ["a long description", { description: "x".repeat(101) }, {}, /has 101 characters, at most 100/],
  ["an mcpName without a domain", { mcpName: "weather" }, {}, /the mcpName "weather" is not a domain in reverse/],
  ["an mcpName of one letter", { mcpName: "io.github.ada/w" }, {}, /is not a domain in reverse/],
  ["no program", { bin: undefined }, {}, /has no bin: hosts start the package by `npx`/],
  ["nothing to reach", { private: true }, {}, /is private, and there is no remote/],
  ["an empty title", {}, { title: "" }, /the title has 0 characters/],
  ["a remote without TLS", {}, { remotes: ["http://weather.example"] }, /is not an https URL/],
  ["a remote on this machine", {}, { remotes: ["https://localhost:8000/mcp"] }, /is this machine/],
  ["a remote with variables", {}, { remotes: ["https://x.example/{tenant}"] }, /has variables/],
];

for (const [what, members, options, words] of REFUSED) {
  test(`server.json is refused for ${what}`, () => {
    throws(() => createServerJson({ ...PACKAGE, ...members } as PackageManifest, options), {
      name: "PackagingError",
      message: words,
    });
  });
}

test("a missing mcpName is suggested from the repository, and all problems are listed", () => {
  const { mcpName: _, ...rest } = PACKAGE;
  throws(() => createServerJson({ ...rest, repository: "ada/weather", version: "1" }), (thrown: Error) => {
    match(thrown.message, /^Cannot create server\.json: .*add "mcpName": "io\.github\.ada\/weather-server"/);
    strictEqual((thrown as Error & { problems: readonly string[] }).problems.length, 2);
    return true;
  });
});

test("the repository is found in every form that package.json allows", () => {
  const repositoryOf = (repository: string) => createServerJson({ ...PACKAGE, repository }).repository?.url;
  for (
    const form of [
      "ada/weather",
      "github:ada/weather",
      "https://github.com/ada/weather.git",
      "git+https://github.com/ada/weather.git",
      "git+ssh://git@github.com/ada/weather.git",
      "git@github.com:ada/weather.git",
    ]
  ) strictEqual(repositoryOf(form), "https://github.com/ada/weather", form);
  strictEqual(repositoryOf("https://git.example/ada/weather"), undefined);
});

test("the manifest of a bundle is valid, and asks for the variables", () => {
  const manifest = bundleManifest(PACKAGE, [{ name: "get_weather", description: "Weather of a city" }], VARIABLES);
  strictEqual(bundleProblems(manifest), "");
  deepStrictEqual([manifest.name, manifest.version], ["weather-server", "1.2.0-beta.1"]);
  deepStrictEqual(manifest.author, { name: "Ada Lovelace", email: "ada@example.com", url: "https://ada.example" });
  deepStrictEqual(manifest.server.mcp_config.env, {
    API_KEY: "${user_config.api_key}",
    LEVEL: "${user_config.level}",
  });
  deepStrictEqual(Object.entries(manifest.user_config ?? {}).map(([key, { sensitive }]) => [key, sensitive]), [
    ["api_key", true],
    ["level", false],
  ]);
  const { name, version, description } = PACKAGE;
  strictEqual(
    bundleProblems(bundleManifest({ name, version, description: description ?? "", author: { name: "Ada" } }, [])),
    "",
  );
  throws(() => bundleManifest({ name, version, description: "x" }, []), /has no author; add "author"/);
});

test("the schemas refuse what is wrong: the checks above can fail", () => {
  const entry = createServerJson(PACKAGE);
  ok(serverProblems({ ...entry, description: "x".repeat(101) }).includes("description"));
  ok(serverProblems({ ...entry, name: "weather" }).includes("name"));
  const manifest = bundleManifest(PACKAGE, []);
  ok(bundleProblems({ ...manifest, author: {} }) !== "");
  ok(bundleProblems({ ...manifest, surprise: 1 }) !== "");
});
