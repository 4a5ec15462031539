/** The rankings of other libraries over the same tools, written after their documentation. */
import type { ToolListing } from "../../../src/core/tool/listing.ts";

/** Names of the best tools, best first. */
export type Ranking = (query: string) => readonly string[];

interface Document {
  readonly name: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const K1 = 1.5;
const B = 0.75;

/** FastMCP's BM25: one bag of words of name, description and parameters, without stemming. */
export function fastMcpRanking(tools: readonly ToolListing[]): Ranking {
  const documents = tools.map(toDocument);
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const idfOf = (token: string) => {
    const count = documents.filter(({ counts }) => counts.has(token)).length;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  return (query) => {
    const idfs = fastMcpTokens(query).map((token) => [token, idfOf(token)] as const);
    return best(documents, ({ counts, length }) =>
      idfs.reduce((score, [token, idf]) => {
        const count = counts.get(token) ?? 0;
        return score + idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average));
      }, 0));
  };
}

/** The AI SDK's default: 2 for a whole word in the name, 1 for one in the description. */
export function aiSdkRanking(tools: readonly ToolListing[]): Ranking {
  const words = (text: string) => new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
  const indexed = tools.map(({ name, description }) => ({ name, names: words(name), texts: words(description) }));
  return (query) =>
    best(
      indexed,
      ({ names, texts }) =>
        [...words(query)].reduce((score, word) => score + (names.has(word) ? 2 : 0) + (texts.has(word) ? 1 : 0), 0),
    );
}

function best<Item extends { readonly name: string }>(items: readonly Item[], scoreOf: (item: Item) => number) {
  const scored = items.map((item) => ({ name: item.name, score: scoreOf(item) })).filter(({ score }) => score > 0);
  return scored.sort((one, other) => other.score - one.score).slice(0, 5).map(({ name }) => name);
}

function fastMcpTokens(text: string): readonly string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((token) => token.length > 1);
}

function toDocument({ name, description, inputSchema }: ToolListing): Document {
  const parameters = Object.entries(inputSchema["properties"] ?? {}).map(([parameter, schema]) =>
    `${parameter} ${(schema as { readonly description?: string }).description ?? ""}`
  );
  const tokens = fastMcpTokens([name, description, ...parameters].join(" "));
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return { name, counts, length: tokens.length };
}
