/** Asks a person in the terminal, by @clack/prompts, which is loaded with the first question. Prompts are written to standard error. */
import type { Readable, Writable } from "node:stream";
import type { CliProcess } from "../terminal/process.ts";

/** An entry of a list from which a person chooses: the value of the answer, and its printed label. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
}

/** Options of a prompt for a text, beside its message. */
export interface TextPrompt {
  /** Text at the start, to edit. */
  readonly initial?: string | undefined;
  /** Whether the text is hidden while it is typed. `initial` is then ignored. */
  readonly isSecret?: boolean;
  /** Returns what is wrong with a text; `undefined` if it is accepted. */
  validate(text: string): string | undefined;
}

/** Asks a person. Every method returns `undefined` after Ctrl+C or Escape. Callers pass printable texts: they are not escaped here. */
export interface Prompter {
  choose<Value>(message: string, choices: readonly Choice<Value>[], initial?: Value): Promise<Value | undefined>;
  chooseMany<Value>(
    message: string,
    choices: readonly Choice<Value>[],
    initial: readonly Value[],
  ): Promise<readonly Value[] | undefined>;
  text(message: string, prompt: TextPrompt): Promise<string | undefined>;
}

/** Creates a prompter that reads standard input and writes to standard error. The caller makes sure that both are terminals. */
export async function createPrompter({ stdin, stderr }: CliProcess): Promise<Prompter> {
  const clack = await import("@clack/prompts");
  // Only called if both are terminals, which are the streams of the process.
  const streams = { input: stdin as unknown as Readable, output: stderr as unknown as Writable };
  const known = <Value>(answer: Value | symbol): Value | undefined =>
    clack.isCancel(answer) ? undefined : answer as Value;
  type Options<Value> = Parameters<typeof clack.select<Value>>[0]["options"];
  return {
    choose: async <Value>(message: string, choices: readonly Choice<Value>[], initial?: Value) => {
      const options = choices as unknown as Options<Value>;
      const start = initial === undefined ? {} : { initialValue: initial };
      return known<Value>(await clack.select<Value>({ ...streams, message, options, ...start }));
    },
    chooseMany: async <Value>(message: string, choices: readonly Choice<Value>[], initial: readonly Value[]) => {
      const options = choices as unknown as Options<Value>;
      return known<Value[]>(
        await clack.multiselect<Value>({ ...streams, message, options, initialValues: initial, required: false }),
      );
    },
    text: async (message, { initial, isSecret, validate }) => {
      const check = (text: string | undefined) => validate(text ?? "");
      if (isSecret === true) return known<string>(await clack.password({ ...streams, message, validate: check }));
      const start = initial === undefined ? {} : { initialValue: initial };
      return known<string>(await clack.text({ ...streams, message, validate: check, ...start }));
    },
  };
}
