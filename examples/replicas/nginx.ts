/**
 * nginx in front of replicas, for as long as this process runs. The README explains each line of its configuration.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { findProgram, freePort, startProgram, temporaryFolder } from "./programs.ts";
import type { RunningServer } from "./redis.ts";

/** The header of a response that says which replica answered: its address, and, before it, those that could not be reached. */
export const REPLICA_HEADER = "x-replica";

/** Settings of nginx. */
export interface NginxOptions {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  /** Where the replicas listen, on 127.0.0.1. */
  readonly replicas: readonly number[];
  /** Where it may put what it has to. */
  readonly folder: string;
}

/** Writes its configuration. */
export function formatNginxConfig({ port, replicas, folder }: NginxOptions): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;

events {
  worker_connections 4096;
}

http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}

  upstream replicas {
${replicas.map((replica) => `    server 127.0.0.1:${replica} max_fails=0;`).join("\n")}
    keepalive 64;
  }

  server {
    listen 127.0.0.1:${port};
    client_max_body_size 1m;
    client_body_buffer_size 1m;

    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
      proxy_connect_timeout 1s;
      proxy_read_timeout 60s;
      proxy_next_upstream error timeout;
      proxy_next_upstream_tries ${replicas.length};
      add_header ${REPLICA_HEADER} $upstream_addr always;
    }
  }
}
`.trimStart();
}

/** Starts nginx, round robin over replicas. */
export async function startNginx(replicas: readonly number[]): Promise<RunningServer> {
  const temporary = await temporaryFolder("nginx");
  const folder = temporary.path;
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  await writeFile(config, formatNginxConfig({ port, replicas, folder }));
  const program = startProgram([findProgram("nginx") ?? "nginx", "-p", folder, "-c", config]);
  try {
    await program.until(() => listensOn(port));
  } catch (error) {
    throw new Error(await readFile(join(folder, "error.log"), "utf8").catch(() => ""), { cause: error });
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: program.pid,
    async stop() {
      await program.end();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Whether the port accepts connections: a request would reach a replica. */
function listensOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1").once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
