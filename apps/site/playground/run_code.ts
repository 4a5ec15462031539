/** Runs TypeScript: strips its types, turns imports into look-ups, and finds the line of an error. */
import { transform } from "sucrase";
import { inspect } from "./inspect.ts";

/** Why code failed, and where: lines and columns count from 1. */
export interface CodeError {
  readonly text: string;
  readonly line?: number | undefined;
}

/** Modules that code of the page may import, by their names. */
type Modules = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const AsyncFunction = (async () => {}).constructor as new (
  ...texts: string[]
) => (...values: unknown[]) => Promise<unknown>;

/** Lines that the engine puts before the body of a function. */
const HEADER_LINES = 2;

/** Runs code as a module. @throws {CodeError} */
export async function runCode(
  code: string,
  modules: Modules,
  output: object,
): Promise<void> {
  const script = compile(code);
  const lookUp = (name: string) => {
    const found = modules[name];
    if (found === undefined) {
      throw new Error(
        `Cannot import ${name}: this page has ${Object.keys(modules).join(", ")}`,
      );
    }
    return found;
  };
  try {
    await new AsyncFunction(
      "require",
      "exports",
      "console",
      `${script}\n//# sourceURL=code.ts`,
    )(lookUp, {}, output);
  } catch (error) {
    throw describe(error);
  }
}

function compile(code: string): string {
  try {
    return transform(code, {
      transforms: ["typescript", "imports"],
      disableESTransforms: true,
      preserveDynamicImport: false,
    }).code;
  } catch (error) {
    const { message, loc } = error as Error & {
      readonly loc?: { readonly line: number };
    };
    throw {
      text: message.replace(/ \(\d+:\d+\)$/, ""),
      line: loc?.line,
    } satisfies CodeError;
  }
}

function describe(error: unknown): CodeError {
  const stack = error instanceof Error ? error.stack ?? "" : "";
  const [, line] = /code\.ts:(\d+)/.exec(stack) ?? [];
  return {
    text: inspect(error),
    line: line === undefined ? undefined : Number(line) - HEADER_LINES,
  };
}
