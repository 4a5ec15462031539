/** Converts the files of a folder. */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import { Project, type SourceFile } from "ts-morph";
import { diffLines } from "../hosts/diff_lines.ts";
import { checkResult, type CompileError } from "./check_result.ts";
import { isDefaultPath } from "./fastmcp.ts";
import { type Converted, convertFile, isAffected, type Left, TRANSFORMS } from "./convert_file.ts";
import type { PackageFacts } from "./draft.ts";
import { type FileChange, nearestManifest, sourceFiles } from "./files.ts";
import { changeManifest } from "./manifest.ts";
import { addSources, type FailedFile, importsOf, orReason } from "./sources.ts";
import { type NoteCode, NOTES } from "./tables.ts";

/** Options of a conversion. */
export interface MigrateOptions {
  /** Steps, by name. Default: all. */
  readonly transforms?: readonly string[] | undefined;
  /** Globs of files that are left out. */
  readonly ignore?: readonly string[] | undefined;
}

/** Result of a conversion: the new texts of files, and what is left. Nothing is written. */
export interface Migration {
  readonly changes: readonly FileChange[];
  /** Places that a person has to convert. */
  readonly left: readonly (Left & { readonly file: string })[];
  /** Files that could not be converted, with the reason. They stay as they are. */
  readonly failed: readonly FailedFile[];
  /** Errors of the compiler that the files did not have before. */
  readonly errors: readonly CompileError[];
  /** Whether the types of the packages were found, so that {@link errors} are complete. */
  readonly isTyped: boolean;
  /** Differences by design, with their places: `file:line`. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
}

/** Names of the steps of a conversion, in their order. */
export const TRANSFORM_NAMES: readonly string[] = Object.keys(TRANSFORMS);

/** Runs the conversion of one file. Tests let it throw. */
type Around = (source: SourceFile, convert: () => Converted) => Converted;

/** Converts the files of a folder, or one file, from the MCP SDK or mcp-lite, and their package.json, in memory. Writes nothing. */
export function planMigration(
  path: string,
  options: MigrateOptions = {},
  around: Around = (_, convert) => convert(),
): Migration {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    skipLoadingLibFiles: true,
  });
  const failed: FailedFile[] = [];
  const sources = addSources(project, path, options.ignore ?? [], (one) => failed.push(one));
  const affected = sources.filter(isAffected);
  const facts = factsOf(affected);
  const factsFor = (source: SourceFile) => SERVING.test(source.getFullText()) ? factsOf([source]) : facts;
  const planned: FileChange[] = [];
  const left: (Left & { readonly file: string })[] = [];
  const notes = new Map<string, string[]>();
  for (const source of sources) {
    const file = source.getFilePath();
    const before = source.getFullText();
    const convert = () => convertFile(source, factsFor(source), options.transforms ?? TRANSFORM_NAMES);
    const fail = (reason: string) => failed.push({ file, reason });
    const converted = orReason(() => around(source, convert), fail);
    if (converted === undefined) continue;
    if (converted.text !== before) {
      const whole = orReason(() => readFileSync(file, "utf8"), fail);
      if (whole === undefined) continue;
      planned.push({ file, before: whole, after: withMark(whole, converted.text) });
    }
    left.push(...converted.left.map((one) => ({ ...one, file })));
    for (const { code, line } of converted.notes) addNote(notes, code, `${file}:${line}`);
  }
  const root = realpathSync(lstatSync(path).isFile() ? dirname(path) : path);
  const { unbound, errors, isTyped, unreadConfig } = checkResult(root, planned);
  failed.push(...[...unbound].map(([file, names]) => ({ file, reason: unboundReason(names) })));
  const changes = planned.filter(({ file }) => !unbound.has(file));
  const manifests = manifestChanges(changes, (one) => failed.push(one));
  const isInside = ({ file }: FileChange) => !relative(root, realpathSync(file)).startsWith("..");
  left.push(...manifests.filter((change) => !isInside(change)).map(leftOutside));
  if (unreadConfig !== undefined) {
    const { file, reason } = unreadConfig;
    left.push({ file, line: 1, reason: `cannot be read, so that types were checked without it: ${reason}` });
  }
  const isKept = ({ file }: { readonly file: string }) => !unbound.has(file);
  return {
    changes: [...changes, ...manifests.filter(isInside)],
    left: left.filter(isKept),
    failed,
    errors: errors.filter(isKept),
    isTyped,
    notes,
  };
}

function unboundReason(names: readonly string[]): string {
  return `converted, it would use ${names.join(", ")} without a declaration; it stays as it is`;
}

/** ts-morph reads a file without its byte order mark. */
function withMark(before: string, after: string): string {
  return before.startsWith("\uFEFF") && !after.startsWith("\uFEFF") ? `\uFEFF${after}` : after;
}

function addNote(notes: Map<string, string[]>, code: NoteCode, place: string): void {
  const places = notes.get(NOTES[code]);
  if (places === undefined) notes.set(NOTES[code], [place]);
  else places.push(place);
}

/** A file that has transports. */
const SERVING = /new \w+Transport\(|createMcpHandler\(|serveStdio\(|transportType:/;

/** Whether FastMCP serves HTTP with sessions, as it does unless it is stateless. */
function hasStreams(text: string): boolean {
  return /transportType:\s*["']httpStream["']/.test(text) && !/stateless:\s*true/.test(text);
}

function factsOf(sources: readonly SourceFile[]): PackageFacts {
  const texts = sources.map((source) => source.getFullText());
  return {
    hasSessions: texts.some((text) =>
      /sessionIdGenerator:\s*(?!undefined)\S|InMemorySessionAdapter\(/.test(text) || hasStreams(text)
    ),
    askTimeoutMs: texts.map((text) => /defaultTimeoutMs:\s*([\d_]+)/.exec(text)?.[1]).find((ms) => ms !== undefined),
    hosts: texts.map(hostsIn).find((hosts) => hosts !== undefined),
    path: texts.map((text) => ENDPOINT.exec(text)?.[1]).find((path) => path !== undefined && !isDefaultPath(path)),
  };
}

/** The option `endpoint` of `httpStream`, with a literal. */
const ENDPOINT = /httpStream:\s*\{[^}]*?\bendpoint:\s*("\/[^"\\]*"|'\/[^'\\]*')/;

/** The names that an app of the SDK allows: those that it is given, or those of this machine if it listens there. */
function hostsIn(text: string): string | undefined {
  const [, options] = /createMcp(?:Express|Hono|Fastify)App\(([^)]*)\)/.exec(text) ?? [];
  const [, allowed] = /allowedHosts:\s*(\[[^\]]*\])|hostHeaderValidation\((\[[^\]]*\])/.exec(text)?.filter(Boolean) ??
    [];
  const isLocal = options !== undefined &&
    (!/host:/.test(options) || /host:\s*["'](127\.0\.0\.1|localhost|::1)["']/.test(options));
  if (allowed !== undefined && /^\[\s*(["'][^"']*["'],?\s*)+\]$/.test(allowed)) return allowed;
  return isLocal || /localhostHostValidation\(\)/.test(text) ? LOOPBACK : undefined;
}

const LOOPBACK = '["localhost", "127.0.0.1", "[::1]"]';

/** Changes of the package.json files nearest to the changed files. All files of a package count, also those that are not converted. */
function manifestChanges(changes: readonly FileChange[], fail: (failed: FailedFile) => void): readonly FileChange[] {
  const texts = new Map(changes.map(({ file, after }) => [file, after]));
  const manifests = new Set(
    changes.map(({ file }) => nearestManifest(dirname(file))).filter((one) => one !== undefined),
  );
  return [...manifests].flatMap((file) => {
    const unread: string[] = [];
    const own = sourceFiles(dirname(file), [], (one) => unread.push(one));
    const { imported, isComplete } = importsOf(own.filter((one) => nearestManifest(dirname(one)) === file), texts);
    const change = orReason(
      () => {
        const before = readFileSync(file, "utf8");
        return { file, before, after: changeManifest(before, imported, isComplete && unread.length === 0) };
      },
      (reason) => fail({ file, reason }),
    );
    return change === undefined || change.after === change.before ? [] : [change];
  });
}

/** A package.json above the folder, or a link to one elsewhere, is not changed: the user has named the folder alone. */
function leftOutside({ file, before, after }: FileChange): Left & { readonly file: string } {
  const changed = diffLines(before, after).map((line) => line.replace(/\s+/g, " ")).join(" ");
  return { file, line: 1, reason: `is outside of the folder, and was not changed; change it by hand: ${changed}` };
}
