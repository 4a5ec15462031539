/**
 * `buf curl`, which knows nothing of Toolwire, and asks the server for its services, too. One process is one RPC.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { REPORT, SEARCH, type Task, TOO_MUCH, type Visit, WAIT_MS } from "./visit.ts";

const run = promisify(execFile);

interface ToolsList {
  readonly tools: readonly { readonly name: string }[];
}
interface ToolResponse<Content> {
  readonly result: { readonly content: Content; readonly partial: string };
  /** Only the last of a stream has it. */
  readonly meta?: unknown;
}

/** Where buf is: among the development dependencies, or on the `PATH`; `undefined` if it is not installed. */
export function findBuf(): string | undefined {
  const installed = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));
  const folders = [installed, ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders.map((folder) => join(folder, "buf")).find((path) => existsSync(path));
}

/** Visits the library. */
export async function visitWithBuf(buf: string, { address, token }: Task): Promise<Visit> {
  const ask = async <Answer>(method: string, request: object): Promise<readonly Answer[]> => {
    const flags = ["--protocol", "grpc", "--http2-prior-knowledge", "--data", JSON.stringify(request)];
    const { stdout } = await run(buf, ["curl", ...flags, `http://${address}/mcplite.MCPLite/${method}`]);
    // Each message ends with a brace alone on its line.
    return stdout.split(/(?<=^\})\n/m).filter((text) => text.trim() !== "").map((text) => JSON.parse(text));
  };
  const call = async <Content>(name: string, args: object) => {
    const [response] = await ask<ToolResponse<Content>>("CallTool", { name, arguments: args });
    return response?.result.content;
  };

  const [list] = await ask<ToolsList>("GetTools", {});
  const hits = await call<{ title: string }[]>("search_documents", SEARCH);
  const streamed = await ask<ToolResponse<string>>("CallToolStream", { name: "generate_report", arguments: REPORT });
  const analysis = await call<{ row_count: number }>("redeem", { promise: token, wait_ms: WAIT_MS });
  const refusal = await call("search_documents", TOO_MUCH).then(() => "none", errorMessage);
  return {
    tools: list?.tools.map(({ name }) => name) ?? [],
    found: hits?.map(({ title }) => title) ?? [],
    report: streamed.filter(({ meta }) => meta === undefined).map(({ result }) => result.partial),
    rows: analysis?.row_count ?? 0,
    refusal,
  };
}

/** It writes an error as JSON, to its error channel. */
function errorMessage({ stderr }: { readonly stderr: string }): string {
  return (JSON.parse(stderr) as { readonly message: string }).message;
}
