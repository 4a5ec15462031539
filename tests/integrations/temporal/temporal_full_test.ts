/** `.external(temporal(…))` with a Temporal server, a worker on Node, and replicas on three runtimes. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer as createSocket } from "node:net";
import { join } from "node:path";
import { type Client, type ClientOptions, createClient, type PromisedAnswer } from "../../../mod.ts";
import type { TemporalHandle } from "../../../src/entries/temporal.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { restTransport } from "../../../src/entries/rest.ts";
import { command, type Found, type Program, root, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import type { TemporalReplica } from "./replica.ts";

const installed = join(root, ".cache/temporal");
const here = join(root, "tests/integrations/temporal");
const hosts = runtimes.filter(({ name }) => name !== "node22");
const binary: Found = foundAt("temporal-server");
const packages: Found = foundAt("node_modules/@temporalio/worker");

/** The client that the tests have beside those of the tools: it ends workflows. */
interface Backdoor {
  readonly workflow: { getHandle(id: string): TemporalHandle & { terminate(reason: string): Promise<unknown> } };
}

/** What the scenarios share. */
interface Stage {
  /** One replica on each of Bun, Deno and Node. */
  readonly replicas: Program[];
  readonly backdoor: Backdoor;
  /** Starts a replica on the runtime of an index. */
  startReplica(index: number): Promise<Program>;
  /** Kills Temporal's server, with SIGKILL. */
  killTemporal(): Promise<void>;
  /** Starts it again, with its database. */
  startTemporal(): Promise<void>;
}

const WIRES = {
  "mcp 2026": (url: string, options?: ClientOptions) =>
    createClient<TemporalReplica>(mcpTransport(`${url}/mcp`), options),
  "mcp-lite": (url: string, options?: ClientOptions) => createClient<TemporalReplica>(`${url}/mcp-lite/v1`, options),
  rest: (url: string, options?: ClientOptions) => createClient<TemporalReplica>(restTransport(`${url}/rest`), options),
} as const;

const at = (stage: Stage, index: number, options?: ClientOptions): Client<TemporalReplica> =>
  WIRES["mcp-lite"](stage.replicas[index % 3]?.url ?? "", options);

type Scenarios = Readonly<Record<string, (stage: Stage) => Promise<void>>>;

/** Those that run at the same time. */
const TOGETHER: Scenarios = {
  async "progress, a question and the result, each at another replica, over each wire"(stage) {
    await Promise.all(Object.entries(WIRES).map(([wire, connect], index) => renderOver(stage, wire, connect, index)));
  },

  async "each kind of failure"(stage) {
    const { backdoor } = stage;
    const client = at(stage, 0);
    const declared = { id: "declared", type: "sold_out", detail: { left: 0 } };
    await rejects(client.failing(declared), { name: "Failure", code: "sold_out", data: { left: 0 } });
    await rejects(client.failing({ ...declared, id: "bug", type: "bug" }), { name: "ToolError", code: "internal" });
    await rejects(client.failing({ ...declared, id: "misfit", detail: 7 }), { name: "ToolError", code: "internal" });
    await rejects(client.short({ id: "short" }), { name: "Failure", code: "attempts_exhausted" });
    const work = await client.waiting.start({ id: "terminated" });
    await backdoor.workflow.getHandle("terminated").terminate("by the test");
    await rejects(at(stage, 1).$.redeem(work.token).result(), { name: "Failure", code: "attempts_exhausted" });
  },

  async "the workflow of docs/temporal.md"(stage) {
    const asked: string[] = [];
    const order = (id: string, approved: boolean) =>
      at(stage, 0, {
        onElicitation: ({ message }) => {
          asked.push(message);
          return { action: "accept", content: { approved } };
        },
      }).order({ id, sku: "tea", count: 2 });
    strictEqual(await order("approved", true), "2 of tea");
    await rejects(order("refused", false), { name: "Failure", code: "not_approved" });
    deepStrictEqual(asked, ["Order 2 of tea?", "Order 2 of tea?"]);
  },

  async "cancel, at another replica"(stage) {
    const { token } = await at(stage, 0).waiting.start({ id: "cancelled" });
    const elsewhere = at(stage, 1).$.redeem(token);
    strictEqual(await elsewhere.cancel(), true);
    await rejects(elsewhere.result(), { name: "Failure", code: "cancelled" });
    const { token: ended } = await at(stage, 2).failing.start({ id: "ended", type: "bug", detail: null });
    await rejects(at(stage, 1).$.redeem(ended).result());
    strictEqual(await at(stage, 0).$.redeem(ended).cancel(), false, "it has ended otherwise");
  },

  async "the same id twice is one workflow, while it runs and afterwards"(stage) {
    const works = await Promise.all([0, 1, 2].map((index) => at(stage, index).waiting.start({ id: "twice" })));
    await stage.backdoor.workflow.getHandle("twice").signal("finish", undefined);
    for (const work of works) strictEqual(await work.result(), "finished");
    strictEqual(await at(stage, 1).waiting({ id: "twice" }), "finished");
  },

  async "without a worker there is a promise all the same"(stage) {
    const work = await at(stage, 0).idle.start({ id: "idle" });
    strictEqual((await work.status()).kind, "promise");
    strictEqual(await work.cancel(), true, "the server takes the request");
  },
};

/** Those that end processes, one after the other. */
const ALONE: Scenarios = {
  async "a replica that is killed, and one that is new"(stage) {
    const { token } = await at(stage, 0).waiting.start({ id: "orphan" });
    await stage.replicas[0]?.[Symbol.asyncDispose]();
    stage.replicas[0] = await stage.startReplica(0);
    await stage.backdoor.workflow.getHandle("orphan").signal("finish", undefined);
    strictEqual(await at(stage, 0).$.redeem(token).result(), "finished");
  },

  async "Temporal is killed, and comes back"(stage) {
    const work = await at(stage, 0).waiting.start({ id: "survivor" });
    await stage.killTemporal();
    const hasty = at(stage, 0, { retry: { attempts: 0 } });
    await rejects(hasty.hasty.start({ id: "down" }), { name: "ToolError", code: "unavailable" });
    await stage.startTemporal();
    await eventually(() => stage.backdoor.workflow.getHandle("survivor").signal("finish", undefined));
    strictEqual(await work.result(), "finished");
  },
};

const NAME = "a tool whose work is a Temporal workflow";
const needs = [binary, packages, ...hosts.map(({ program }) => program)];

testWith(NAME, needs, async (server, _, ...paths) => await runAll(server, paths), 180_000);

async function runAll(server: string, paths: readonly string[]): Promise<void> {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(await temporaryFolder());
  const database = join(folder, "temporal.db");
  const ports = await freePorts(6);
  const address = `127.0.0.1:${ports[0]}`;
  let temporal: Program | undefined;
  const startTemporal = async () => void (temporal = await startProgram([server, database, ...ports], { url: false }));
  const killTemporal = async () => await temporal?.[Symbol.asyncDispose]();
  started.defer(killTemporal);
  await startTemporal();
  const startReplica = (index: number) =>
    startProgram(command(hosts[index]!, paths[index] ?? "", join(here, "replica.ts"), address));
  const node = paths.at(-1) ?? "node";
  const backdoor = await connectBackdoor(address);
  const [worker, ...replicas] = await Promise.all([
    startWorker(node, address, folder),
    ...hosts.map((_, index) => startReplica(index)),
  ]);
  started.use(worker);
  started.defer(async () => void (await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()))));
  const stage = { replicas, backdoor, startReplica, killTemporal, startTemporal };
  const play = ([name, scenario]: [string, Scenarios[string]]) =>
    scenario(stage).catch((cause: unknown) => {
      throw new Error(`${name}: ${String(cause)}\n${worker.output()}`, { cause });
    });
  await Promise.all(Object.entries(TOGETHER).map(play));
  for (const alone of Object.entries(ALONE)) await play(alone);
}

/** Starts at one replica, looks at another, answers and gets the result at the third. */
async function renderOver(
  { replicas, backdoor }: Stage,
  wire: string,
  connect: (url: string, options?: ClientOptions) => Client<TemporalReplica>,
  first: number,
): Promise<void> {
  const urls = [0, 1, 2].map((index) => replicas[(first + index) % 3]?.url ?? "");
  const id = `render ${wire}`;
  const { token } = await connect(urls[0] ?? "").render.start({ id, frames: 3 });
  const looking = connect(urls[1] ?? "").$.redeem<string>(token);
  let status = await looking.status();
  for (let looks = 0; status.kind === "promise" && looks < 500; looks++) status = await looking.status();
  ok(status.kind === "elicitation", JSON.stringify(status));
  strictEqual(status.requests["approval"]?.message, "Render 3 frames?");
  const asked: string[] = [];
  const answering = connect(urls[2] ?? "", {
    onElicitation: ({ key, params }) => {
      asked.push(`${key} ${params?.["refused"] === undefined ? "" : "again"}`.trim());
      return { action: "accept", content: { ok: asked.length === 1 ? "perhaps" : true } };
    },
  });
  const seen: unknown[] = [];
  const result = answering.$.redeem<string>(token).result({ onProgress: (progress) => void seen.push(progress) });
  await progressOf(looking, 2);
  await backdoor.workflow.getHandle(id).signal("finish", undefined);
  strictEqual(await result, "3 frames, true");
  deepStrictEqual(asked, ["approval", "approval again"]);
}

/** Waits until a promise has this progress. */
async function progressOf(work: PromisedAnswer<string>, done: number): Promise<void> {
  for (let looks = 0; looks < 1_000; looks++) {
    const status = await work.status();
    if (status.kind === "promise" && status.progress?.done === done) {
      return deepStrictEqual(status.progress, { done, total: 3, message: "rendering" });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  ok(false, `no progress of ${done}`);
}

async function startWorker(node: string, address: string, folder: string): Promise<Program> {
  const worker = await startProgram([node, join(here, "worker.mjs"), address, "tests", folder], { url: false });
  await worker.printed(/running/, 120_000);
  return worker;
}

async function connectBackdoor(address: string): Promise<Backdoor> {
  const require = createRequire(join(installed, "package.json"));
  const { Client, Connection } = require("@temporalio/client");
  const connection = await eventually(() => Connection.connect({ address }));
  return new Client({ connection });
}

/** The result of `work`, which is repeated while it rejects. */
async function eventually<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0;; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= 1_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Ports that are free now, each another one. */
async function freePorts(count: number): Promise<readonly string[]> {
  const sockets = Array.from({ length: count }, () => createSocket());
  const ports = await Promise.all(sockets.map(async (socket) => {
    await new Promise<void>((resolve) => void socket.listen(0, "127.0.0.1", resolve));
    return String((socket.address() as { readonly port: number }).port);
  }));
  for (const socket of sockets) socket.close();
  return ports;
}

/** A part of what scripts/install_temporal.mjs installs. */
function foundAt(path: string): Found {
  const found = join(installed, path);
  return existsSync(found) ? { path: found } : { missing: `${path} is not there: node scripts/install_temporal.mjs` };
}
