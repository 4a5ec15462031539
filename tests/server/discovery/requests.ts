/**
 * 100 requests over the corpus, labelled by hand before any ranking was run on them. Each line of `requests.txt` has the set, a
 * user's sentence, the search that a model would write for it, and the tools that serve it, as `server/tool`.
 */
import { readFile } from "node:fs/promises";

/** One labelled request. */
export interface LabelledRequest {
  /** Whether the ranking was chosen without it. */
  readonly isHeldOut: boolean;
  /** A user's sentence. */
  readonly user: string;
  /** 2 to 7 words of a model. */
  readonly model: string;
  /** Names of the acceptable tools, with the prefix of their group. */
  readonly tools: readonly string[];
}

/** Reads the requests. */
export async function readRequests(): Promise<readonly LabelledRequest[]> {
  const text = await readFile(new URL("requests.txt", import.meta.url), "utf8");
  return text.trim().split("\n").map((line) => {
    const [set, user = "", model = "", tools = ""] = line.split(" | ");
    return {
      isHeldOut: set === "held out",
      user,
      model,
      tools: tools.split(" ").map((tool) => tool.replace("/", "_")),
    };
  });
}
