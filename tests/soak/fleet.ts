/** The processes of a soak: Redis, nginx, replicas and workers, and what is done to them. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startNginx } from "../../examples/replicas/nginx.ts";
import { freePort, type Program, startProgram } from "../../examples/replicas/programs.ts";
import { startRedis } from "../../examples/replicas/redis.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { startPostgres } from "../jobs/engines/programs.ts";
import { WebhookReceiver } from "./webhook_receiver.ts";
import type { Random } from "../../src/testing/faults.ts";
import { runtimes } from "../serve/programs.ts";

const SCRIPT = fileURLToPath(new URL("process.ts", import.meta.url));

/** How long a process is taken to live after its last sign, in milliseconds. */
const LEASE_MS = 1_500;

/** Options of {@link Fleet}. */
export interface FleetOptions {
  /** How many processes answer calls, and run jobs. */
  readonly replicas: number;
  /** How many processes only run jobs. */
  readonly workers: number;
  /** What they run on, in turn: `bun`, `deno`, `node22` or `node24`. */
  readonly runtimes: readonly string[];
  /** What they sign with. */
  readonly keys: string;
  /** Where their jobs are. */
  readonly engine: "redis" | "postgres" | "sqlite";
}

/** A process of the fleet. */
interface Member {
  readonly name: string;
  readonly isReplica: boolean;
  readonly command: readonly string[];
  keys: string;
  program: Program | undefined;
  /** Whether it is being ended, or restarted. */
  isBusy: boolean;
}

/** All processes of a soak. */
export class Fleet {
  /** Where nginx is. */
  readonly url: string;
  /** How many processes were killed with -9. */
  kills = 0;
  /** How many were ended as a deployment does. */
  stops = 0;
  /** Processes that have ended by themselves, and their last output. */
  readonly crashes: string[] = [];
  /** What they have written, by line, with what differs from line to line left out. */
  readonly logs: Map<string, number> = new Map();
  readonly #members: readonly Member[];
  readonly #restarts = new Set<Promise<void>>();
  #started: AsyncDisposableStack;

  /** Takes the webhooks. */
  readonly webhooks: WebhookReceiver;

  private constructor(
    members: readonly Member[],
    url: string,
    webhooks: WebhookReceiver,
    started: AsyncDisposableStack,
  ) {
    this.#members = members;
    this.webhooks = webhooks;
    this.url = url;
    this.#started = started;
  }

  /** Starts them all. */
  static async start(options: FleetOptions): Promise<Fleet> {
    await using started = new AsyncDisposableStack();
    const store = await startStore(options.engine, started);
    const webhooks = started.use(await WebhookReceiver.start());
    const ports = await Promise.all(Array.from({ length: options.replicas }, freePort));
    const nginx = await startNginx(ports);
    started.defer(() => nginx.stop());
    const member = (name: string, index: number, args: readonly string[]): Member => {
      const runtime = options.runtimes[index % options.runtimes.length] ?? "bun";
      return {
        name: `${name} on ${runtime}`,
        isReplica: args[0] === "serve",
        command: [...runtimeCommand(runtime), SCRIPT, ...args, store, `${LEASE_MS}`, webhooks.url],
        keys: options.keys,
        program: undefined,
        isBusy: false,
      };
    };
    const members = [
      ...ports.map((port, index) => member(`replica ${index + 1}`, index, ["serve", `${port}`])),
      ...Array.from({ length: options.workers }, (_, index) => member(`worker ${index + 1}`, index, ["work", "-"])),
    ];
    const fleet = new Fleet(members, nginx.url, webhooks, started);
    started.defer(() => fleet.#endAll());
    await Promise.all(members.map((member) => fleet.#begin(member)));
    fleet.#started = started.move();
    return fleet;
  }

  /** Kills one of them with -9, any but the last replica, and starts it again. */
  killAny(random: Random): void {
    const up = this.#members.filter(({ isBusy }) => !isBusy);
    const replicasUp = up.filter(({ isReplica }) => isReplica).length;
    const victims = up.filter(({ isReplica }) => !isReplica || replicasUp > 1);
    const victim = victims[random.below(victims.length)];
    if (victim === undefined) return;
    const restart = this.#restart(victim, "SIGKILL")
      .catch((error) => void this.crashes.push(String(error)))
      .finally(() => this.#restarts.delete(restart));
    this.#restarts.add(restart);
  }

  /** Gives all of them other keys, one after the other, as a deployment does: some are ended kindly, some are not. */
  async roll(keys: string, random: Random): Promise<void> {
    for (const member of this.#members) {
      while (member.isBusy) await Promise.all(this.#restarts);
      member.keys = keys;
      await this.#restart(member, random.share() < 0.7 ? "SIGTERM" : "SIGKILL");
    }
  }

  /** Waits until all of them run. */
  async settle(): Promise<void> {
    while (this.#restarts.size > 0) await Promise.all(this.#restarts);
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    await this.settle();
    await this.#started.disposeAsync();
  }

  async #endAll(): Promise<void> {
    for (const member of this.#members) await this.#end(member, "SIGKILL");
  }

  async #restart(member: Member, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    member.isBusy = true;
    if (signal === "SIGKILL") this.kills++;
    else this.stops++;
    try {
      await this.#end(member, signal);
      await this.#begin(member);
    } finally {
      member.isBusy = false;
    }
  }

  async #begin(member: Member): Promise<void> {
    member.program = startProgram(member.command, { env: { TOOLWIRE_KEYS: member.keys, NO_COLOR: "1" } });
    await member.program.until((output) => /^ready$/m.test(output));
  }

  async #end({ name, program }: Member, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (program === undefined) return;
    if (program.hasEnded) this.crashes.push(`${name}: ${program.output().slice(-1_000)}`);
    await program.end(signal);
    for (const line of program.output().split("\n")) this.#note(line);
  }

  #note(line: string): void {
    const kind = line.trim().replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…").replaceAll(/\d+/g, "#").slice(0, 160);
    if (kind !== "" && kind !== "ready") this.logs.set(kind, (this.logs.get(kind) ?? 0) + 1);
  }
}

/** URL or path of a new store. */
async function startStore(engine: FleetOptions["engine"], started: AsyncDisposableStack): Promise<string> {
  if (engine === "sqlite") return `${started.use(await temporaryFolder()).path}/jobs.db`;
  const server = engine === "redis" ? await startRedis() : await startPostgres();
  started.defer(() => server.stop());
  return server.url;
}

function runtimeCommand(name: string): readonly string[] {
  if (name === "bun") return [process.execPath];
  const runtime = runtimes.find((runtime) => runtime.name === name);
  if (runtime === undefined) throw new TypeError(`There is no runtime ${name}`);
  if ("missing" in runtime.program) throw new Error(runtime.program.missing);
  return [runtime.program.path, ...runtime.args];
}
