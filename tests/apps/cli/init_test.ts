/** `toolwire init`: which project is created, and where it is refused. Whether the projects work is scripts/check_templates.mjs. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nameOf, runningRuntime } from "../../../apps/cli/init/create_project.ts";
import { SHARED_FILES, TEMPLATE_FILES } from "../../../apps/cli/init/gen/templates.ts";
import { type InitFlags, runInit } from "../../../apps/cli/init/run_init.ts";
import { commandsOf, filesOf, isWhole, TEMPLATE_NAMES } from "../../../apps/cli/init/templates.ts";
import { VERSION } from "../../../src/internal/version.ts";
// @ts-expect-error: a script without types
import { readTemplates } from "../../../scripts/templates.mjs";
import { runtime } from "../../runtime/runtime.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

const STAY = ["--no-install", "--no-git"];
const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));

test("the module of templates is that of apps/create-toolwire/templates/: node scripts/templates.mjs writes it", () => {
  deepStrictEqual({ shared: SHARED_FILES, own: TEMPLATE_FILES }, readTemplates());
  deepStrictEqual(Object.keys(TEMPLATE_FILES).sort(), [...TEMPLATE_NAMES].sort());
});

for (const template of TEMPLATE_NAMES.filter((name) => !isWhole(name))) {
  test(`toolwire init --template ${template} writes every file, with the name and the version of the release`, async () => {
    await using folder = await temporaryFolder();
    const { code, errors, out } = await runHere(
      { cwd: folder.path },
      "init",
      "My Tools",
      "--template",
      template,
      ...STAY,
    );
    deepStrictEqual([code, out], [0, ""], errors);
    const project = join(folder.path, "My Tools");
    const files = readdirSync(project, { recursive: true, encoding: "utf8" });
    const manifest = template === "deno" ? "deno.json" : "package.json";
    for (const file of ["server.ts", "server_test.ts", ".gitignore", "AGENTS.md", "CLAUDE.md", "README.md", manifest]) {
      ok(files.includes(file), file);
    }
    ok(template === "deno" || files.includes("tsconfig.json"));
    for (const file of files.filter((name) => /\.\w+$/.test(name))) {
      ok(!/\{\{/.test(readFileSync(join(project, file), "utf8")), `${file} has a placeholder`);
    }
    match(readFileSync(join(project, "server.ts"), "utf8"), /createServer\(\{ name: "my-tools", /);
    const { dependencies, imports } = read(join(project, manifest));
    strictEqual(
      dependencies?.toolwire ?? imports.toolwire,
      template === "deno" ? `npm:toolwire@^${VERSION}` : `^${VERSION}`,
    );
    const commands = commandsOf({
      name: "my-tools",
      template,
      runtime: template === "node" || template === "bun" || template === "deno" ? template : host,
    });
    const page = readFileSync(join(project, "README.md"), "utf8");
    for (const command of [commands.dev, commands.test, commands.check, `${commands.toolwire} install`]) {
      ok(page.includes(`\`${command}`), command);
      ok(errors.includes(command), command);
    }
    ok(errors.includes(`cd "My Tools"\n  ${commands.install}\n`), errors);
  });
}

for (const template of TEMPLATE_NAMES.filter(isWhole)) {
  test(`toolwire init --template ${template} writes a whole program, with its page, tests and commands`, async () => {
    await using folder = await temporaryFolder();
    const { code, errors } = await runHere({ cwd: folder.path }, "init", "My Own", "--template", template, ...STAY);
    strictEqual(code, 0, errors);
    const project = join(folder.path, "My Own");
    const files = readdirSync(project, { recursive: true, encoding: "utf8" });
    for (const file of ["drive.ts", "README.md", ".gitignore"]) ok(files.includes(file), file);
    ok(!files.includes("AGENTS.md") && !files.includes("server_test.ts"));
    for (const file of files.filter((name) => /\.\w+$/.test(name))) {
      ok(!/\{\{\w/.test(readFileSync(join(project, file), "utf8")), `${file} has a placeholder`);
    }
    const isDeno = template === "notes";
    const { name, scripts, tasks, dependencies, imports } = read(join(project, isDeno ? "deno.json" : "package.json"));
    strictEqual(isDeno ? imports.toolwire : dependencies.toolwire, `${isDeno ? "npm:toolwire@" : ""}^${VERSION}`);
    strictEqual(name, isDeno ? undefined : "my-own");
    const commands = commandsOf({ name: "my-own", template, runtime: isDeno ? "deno" : "node" });
    const page = readFileSync(join(project, "README.md"), "utf8");
    for (const step of ["dev", "test", "check"] as const) {
      ok((tasks ?? scripts)[step] !== undefined, step);
      ok(errors.includes(commands[step]) && page.includes(commands[step]), commands[step]);
    }
    ok(!errors.includes("install claude-desktop"));
  });
}

/** The runtime whose package manager is named, as nothing else says so. */
const host = runtime === "bun" || runtime === "deno" ? runtime : "node";

test("without a terminal nothing is asked: the template is that of the running runtime", async () => {
  await using folder = await temporaryFolder();
  const { code, errors } = await runHere({ cwd: folder.path, env: { npm_config_user_agent: "" } }, "init", ...STAY);
  strictEqual(code, 0, errors);
  const names = readdirSync(join(folder.path, "my-tools"));
  strictEqual(names.includes("deno.json"), host === "deno");
  if (host !== "deno") {
    const { scripts } = read(join(folder.path, "my-tools/package.json"));
    match(scripts.dev, new RegExp(`^${host} --watch`));
  }
  if (host === "node") {
    strictEqual(runningRuntime({ npm_config_user_agent: "bun/1.4.5 npm/? node/v24" }), "bun");
    strictEqual(runningRuntime({ npm_config_user_agent: "npm/11.0.0 node/v24" }), "node");
  }
});

test("a folder that is not empty is refused, and left as it is; one with .git alone is not", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "notes.txt"), "mine");
  const refused = await runHere({ cwd: folder.path }, "init", ".", ...STAY);
  strictEqual(refused.code, 2);
  match(refused.errors, /^Cannot create a project in .*: the folder is not empty \(notes\.txt\); name a new one\n$/);
  deepStrictEqual(readdirSync(folder.path), ["notes.txt"]);
  const file = await runHere({ cwd: folder.path }, "init", "notes.txt", ...STAY);
  match(file.errors, /^Cannot create a project in .*notes\.txt: /);
  mkdirSync(join(folder.path, "new/.git"), { recursive: true });
  strictEqual((await runHere({ cwd: join(folder.path, "new") }, "init", ".", "--template", "node", ...STAY)).code, 0);
  ok(existsSync(join(folder.path, "new/server.ts")));
});

test("toolwire init: wrong use has its exit code, and says what there is", async () => {
  await using folder = await temporaryFolder();
  for (
    const [args, words] of [
      [
        ["x", "--template", "vue"],
        /^There is no template "vue"; templates are node, bun, deno, workers, hono, next, shop, assistant, watcher, notes, letters, team\n/,
      ],
      [["x", "--runtime", "workerd"], /^There is no runtime "workerd"; runtimes are node, bun, deno\n/],
      [
        ["x", "--template", "deno", "--runtime", "bun"],
        /^The template deno runs on deno, not on bun; leave out --runtime\n/,
      ],
      [
        ["x", "--template", "shop", "--runtime", "bun"],
        /^The template shop runs on node, not on bun; leave out --runtime\n/,
      ],
      [["x", "y"], /^There is one argument too many/],
      [["x", "--tempalte", "node"], /^There is no option "--tempalte": did you mean "--template"\?/],
    ] as const
  ) {
    const { code, errors, out } = await runHere({ cwd: folder.path }, "init", ...args, ...STAY);
    deepStrictEqual([code, out], [2, ""], errors);
    match(errors, words);
  }
  deepStrictEqual(readdirSync(folder.path), []);
});

/** A person who gives these answers, in order; `undefined` is Ctrl+C. */
function personWith(answers: readonly unknown[]) {
  const asked: string[] = [];
  const answer = (message: string) => {
    asked.push(message);
    return Promise.resolve(answers[asked.length - 1] as never);
  };
  return { asked, createPrompter: () => Promise.resolve({ text: answer, choose: answer, chooseMany: answer }) };
}

test("in a terminal the person is asked for what was not given, and Ctrl+C creates nothing", async () => {
  await using folder = await temporaryFolder();
  const init = async (flags: InitFlags, answers: readonly unknown[], name?: string) => {
    const { asked, createPrompter } = personWith(answers);
    const place = {
      cwd: folder.path,
      env: {},
      nodeVersion: "24.0.0",
      isInteractive: true,
      createPrompter,
      note: () => {},
    };
    return { isDone: await runInit(name, { git: false, ...flags }, place), asked };
  };
  const all = ["Which folder?", "What is it?", "Install its packages now?"];
  for (let given = 0; given < all.length; given++) {
    const cancelled = await init({}, ["asked", "hono", undefined].slice(0, given));
    deepStrictEqual(cancelled, { isDone: false, asked: all.slice(0, given + 1) });
    deepStrictEqual(readdirSync(folder.path), []);
  }
  deepStrictEqual(await init({}, ["asked", "hono", false]), { isDone: true, asked: all });
  ok(readFileSync(join(folder.path, "asked/main.ts"), "utf8").includes("Hono"));
  deepStrictEqual(await init({ template: "next" }, [false], "given"), { isDone: true, asked: all.slice(2) });
  deepStrictEqual(await init({ template: "node", install: false, yes: true }, [], "silent"), {
    isDone: true,
    asked: [],
  });
});

test("a project for Node is refused on a Node that cannot run it; one for Bun or Deno is not", async () => {
  await using folder = await temporaryFolder();
  const { createPrompter } = personWith([]);
  const init = (nodeVersion: string, flags: InitFlags) => {
    const place = { cwd: folder.path, env: {}, nodeVersion, isInteractive: false, createPrompter, note: () => {} };
    return runInit(`on-${nodeVersion}-${flags.template}`, { git: false, install: false, ...flags }, place);
  };
  for (const version of ["20.20.2", "22.17.1"]) {
    await rejects(init(version, { template: "hono", runtime: "node" }), {
      message: `A project on Node needs Node 22.18 or later; this is ${version}. ` +
        "Install a later one, or pass --runtime bun or --runtime deno",
    });
  }
  deepStrictEqual(readdirSync(folder.path), []);
  ok(await init("20.20.2", { template: "bun" }) && await init("22.18.0", { template: "node" }));
});

test("names of folders become names of packages", () => {
  deepStrictEqual(["/a/My Tools!", "/a/weather", "/a/9lives", "/a/ümlaut", "/a/___"].map(nameOf), [
    "my-tools",
    "weather",
    "tools-9lives",
    "mlaut",
    "tools",
  ]);
});

test("create-toolwire has the version of the package", () => {
  const manifest = read(new URL("../../../apps/create-toolwire/package.json", import.meta.url).pathname);
  strictEqual(manifest.version, VERSION);
  ok(Object.keys(filesOf({ name: "x", template: "node", runtime: "node" })).includes(".gitignore"));
});
