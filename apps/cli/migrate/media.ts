/** `imageContent()` and `audioContent()` of FastMCP: a function of the file makes the same blocks of content. */
import { Node } from "ts-morph";
import type { Draft, HelperWriter } from "./draft.ts";

const KINDS: Readonly<Record<string, string>> = { imageContent: '"image"', audioContent: '"audio"' };

/** Converts the calls of both functions, and where they are passed on. */
export function convertMedia(draft: Draft): void {
  const uses = draft.source.getDescendants().filter(Node.isIdentifier).filter((one) =>
    !Node.isImportSpecifier(one.getParent()) && draft.imports.isAny(one, ...Object.keys(KINDS))
  );
  for (const use of uses) {
    const kind = KINDS[draft.imports.known(use)?.name ?? ""] ?? "";
    const [mediaContent] = draft.helper(mediaReader);
    const call = use.getParent();
    const [input] = Node.isCallExpression(call) && call.getExpression() === use ? call.getArguments() : [];
    if (input === undefined) {
      draft.replace(use, `((input${isScript(draft) ? "" : ": any"}) => ${mediaContent}(${kind}, input))`);
    } else draft.edits.overwrite(use.getStart(), input.getStart(), `${mediaContent}(${kind}, `);
  }
}

function isScript(draft: Draft): boolean {
  return /\.[cm]?jsx?$/.test(draft.source.getFilePath());
}

/** Writes `mediaContent(kind, input)`, which recognizes the media type by the first bytes. */
const mediaReader: HelperWriter = (draft, isScript) => {
  const [name, types] = [draft.freeName("mediaContent", "mediaBlock"), draft.freeName("MEDIA_TYPES")];
  const content = draft.imports.use("toolwire/mcp", "content");
  const readFile = draft.imports.use("node:fs/promises", "readFile");
  const typed = (text: string) => isScript ? "" : text;
  const input = ": { buffer: Uint8Array } | { path: string } | { url: string; timeoutMs?: number }";
  const lines = `
/** Media types by the first bytes, in hexadecimal. */
const ${types}${typed(": readonly (readonly [RegExp, string])[]")} = [
  [/^89504e47/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^47494638/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^424d/, "image/bmp"],
  [/^52494646.{8}57415645/, "audio/wav"],
  [/^(494433|fff[abef23])/, "audio/mpeg"],
  [/^4f676753/, "audio/ogg"],
  [/^664c6143/, "audio/flac"],
  [/^.{8}667479704d3441/, "audio/x-m4a"],
];

/** A picture or a sound as a block of content, from bytes, a file or a URL. */
async function ${name}(kind${typed(': "image" | "audio"')}, input${typed(input)}) {
  const read = async (url${typed(": string")}, timeoutMs = 30_000) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(\`\${url} responded with \${response.status}\`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const bytes = "buffer" in input
    ? input.buffer
    : "path" in input
    ? await ${readFile}(input.path)
    : await read(input.url, input.timeoutMs);
  const start = [...bytes.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const found = ${types}.find(([pattern]) => pattern.test(start))?.[1];
  return kind === "image" ? ${content}.image(bytes, found ?? "image/png") : ${content}.audio(bytes, found ?? "audio/mpeg");
}`.trim().replaceAll(/^( {2})+/gm, (spaces) => draft.unit.repeat(spaces.length / 2));
  return { names: [name, types], lines: lines.split("\n") };
};
