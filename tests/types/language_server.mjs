// An editor's side of TypeScript's language server, as far as it is needed to ask what an editor asks.
import { spawn } from "node:child_process";
import process from "node:process";
import { readCpuMs } from "../../bench/proc.mjs";
import getExePath from "../../node_modules/typescript/lib/getExePath.js";

/** A language server with one open file. */
export class LanguageServer {
  #child = spawn(getExePath(), ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  #received = Buffer.alloc(0);
  #waiting = new Map();
  #lastId = 0;
  #version = 1;
  #uri;

  /** Starts one for the project in `folder`. */
  static async start(folder) {
    const server = new LanguageServer();
    server.#child.stdout.on("data", (bytes) => server.#take(bytes));
    server.#child.on("exit", (status) => server.#fail(new Error(`The language server ended with ${status}`)));
    const textDocument = { diagnostic: {}, completion: {}, hover: { contentFormat: ["markdown"] } };
    await server.#ask("initialize", {
      processId: process.pid,
      rootUri: `file://${folder}`,
      capabilities: { textDocument },
    });
    server.#send({ method: "initialized", params: {} });
    return server;
  }

  /** What it has had of the processor, in milliseconds (Linux). */
  get cpuMs() {
    return readCpuMs(this.#child.pid);
  }

  open(path, text) {
    this.#uri = `file://${path}`;
    const textDocument = { uri: this.#uri, languageId: "typescript", version: this.#version, text };
    this.#send({ method: "textDocument/didOpen", params: { textDocument } });
  }

  /** The file is now this. */
  change(text) {
    const textDocument = { uri: this.#uri, version: ++this.#version };
    this.#send({ method: "textDocument/didChange", params: { textDocument, contentChanges: [{ text }] } });
  }

  /** The messages of what is wrong. */
  async diagnose() {
    const { items } = await this.#askOfFile("diagnostic", {});
    return items.map(({ message }) => message);
  }

  /** The names that fit at a place. */
  async complete(position) {
    const completed = await this.#askOfFile("completion", { position });
    return (completed.items ?? completed).map(({ label }) => label);
  }

  /** What the server reports about the name at a place. */
  async hover(position) {
    const { contents } = await this.#askOfFile("hover", { position });
    return contents.value;
  }

  /** The lines to which "go to definition" leads from a place, as `file:line`, from 1. */
  async define(position) {
    const found = [await this.#askOfFile("definition", { position })].flat().filter((one) => one != null);
    return found.map((one) => {
      const { start } = one.targetSelectionRange ?? one.range;
      return `${(one.targetUri ?? one.uri).split("/").at(-1)}:${start.line + 1}`;
    });
  }

  stop() {
    this.#child.removeAllListeners("exit");
    this.#child.kill();
  }

  #askOfFile(what, params) {
    return this.#ask(`textDocument/${what}`, { textDocument: { uri: this.#uri }, ...params });
  }

  #ask(method, params) {
    const id = ++this.#lastId;
    const { promise, ...waiting } = Promise.withResolvers?.() ?? withResolvers();
    this.#waiting.set(id, waiting);
    this.#send({ id, method, params });
    return promise;
  }

  #send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #take(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let end = this.#received.indexOf("\r\n\r\n"); end >= 0; end = this.#received.indexOf("\r\n\r\n")) {
      const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, end).toString())[1]);
      const start = end + 4;
      if (this.#received.length < start + length) return;
      const message = JSON.parse(this.#received.subarray(start, start + length).toString());
      this.#received = this.#received.subarray(start + length);
      this.#receive(message);
    }
  }

  #receive({ id, method, result, error }) {
    // What it asks of an editor, this one has no answer to.
    if (method !== undefined) return id === undefined ? undefined : this.#send({ id, result: null });
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }

  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

/** Node 20, which the scripts run on as well, has none. */
function withResolvers() {
  const resolvers = {};
  resolvers.promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return resolvers;
}
