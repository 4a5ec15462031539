/** An adapter with the loop of its vendor's package. */
import type { AgentSource } from "../../../../src/entries/agents.ts";
import { type ExampleFolder, loadExample, type RunAgent, type Script } from "../frameworks.ts";
import type { JsonRecord } from "./apis.ts";
import type { AdapterTraits } from "./cases.ts";

/** An adapter: what its model gets, and how an agent with it is run. */
export interface ViewedAdapter extends AdapterTraits {
  /** Name in the table. */
  readonly name: string;
  /** Runs an agent with a script; returns the bodies of its requests. */
  readonly run: (source: AgentSource, script: Script, options: object) => Promise<readonly JsonRecord[]>;
}

/** A program of a folder of examples: its service on the loopback interface remembers the requests. */
export function program(file: string, exported: string, folder: ExampleFolder = "agents"): ViewedAdapter["run"] {
  return async (source, script, options) => {
    const run = await loadExample(file, exported, folder) as RunAgent;
    await run(source, script, options);
    return await requestsOf(script);
  };
}

/** Bodies of the requests to the services of a script. */
export async function requestsOf(script: Script): Promise<readonly JsonRecord[]> {
  return (await loadExample("scripted/loopback.ts", "requestsOf") as RequestsOf)(script);
}

type RequestsOf = (script: Script) => readonly JsonRecord[];
