/** Controls of the argument editor for single values: text, number, choice, and JSON text for all others. */
import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Json, Path, Schema } from "./json_schema.ts";
import { isSecretField } from "./secrets.ts";

/** State that all fields of one editor share. */
export interface Form {
  readonly root: Schema;
  readonly issues: ReadonlyMap<string, string>;
  /** Proposes values of a member of the root. */
  readonly complete: ((name: string, value: string) => Promise<readonly string[]>) | undefined;
  /** Sets the value at a path; `undefined` leaves it out. */
  write(path: Path, value: Json | undefined): void;
}

export interface FieldProps {
  readonly form: Form;
  readonly schema: Schema;
  readonly value: Json | undefined;
  readonly path: Path;
  readonly label: string;
}

export function TextField({ form, schema, value, path, label }: FieldProps): JSX.Element {
  const text = typeof value === "string" ? value : "";
  const write = (event: { readonly currentTarget: { readonly value: string } }) =>
    form.write(path, event.currentTarget.value);
  const common = { value: text, onInput: write, "aria-label": label, spellcheck: false };
  if (isSecretField(path.at(-1), schema, form.root)) return <input type="password" autocomplete="off" {...common} />;
  if (form.complete !== undefined && path.length === 1) return <ProposedText {...common} propose={form.complete} />;
  return <textarea rows={Math.min(8, text.split("\n").length)} {...common} placeholder={hintOf(schema)} />;
}

interface ProposedTextProps {
  readonly value: string;
  readonly "aria-label": string;
  onInput(event: { readonly currentTarget: { readonly value: string } }): void;
  propose(name: string, value: string): Promise<readonly string[]>;
}

/** A text with proposals for what was typed so far. */
function ProposedText({ propose, ...input }: ProposedTextProps): JSX.Element {
  const { value, "aria-label": name } = input;
  const [proposals, setProposals] = useState<readonly string[]>([]);
  const id = useId();
  useEffect(() => {
    let isLeft = false;
    void propose(name, value).then((found) => !isLeft && setProposals(found));
    return () => void (isLeft = true);
  }, [value]);
  return (
    <>
      <input {...input} list={id} autocomplete="off" />
      <datalist id={id}>{proposals.map((one) => <option key={one} value={one} />)}</datalist>
    </>
  );
}

/** A number is text while it is typed, so that "1e" and "-" can be. */
export function NumberField({ form, schema, value, path, label }: FieldProps): JSX.Element {
  const [text, setText] = useState(value === undefined ? "" : String(value));
  useEffect(() => {
    if (value === undefined) setText("");
    else if (text.trim() === "" || Number(text) !== value) setText(String(value));
  }, [value]);
  const isNumber = text.trim() !== "" && Number.isFinite(Number(text));
  const isExact = !isNumber || !Number.isInteger(Number(text)) || Number.isSafeInteger(Number(text));
  return (
    <>
      <input
        inputMode="decimal"
        value={text}
        aria-label={label}
        aria-invalid={!isNumber && (text !== "" || value !== undefined)}
        placeholder={hintOf(schema)}
        onInput={(event) => {
          const { value: typed } = event.currentTarget;
          setText(typed);
          if (typed.trim() !== "" && Number.isFinite(Number(typed))) form.write(path, Number(typed));
        }}
      />
      {!isNumber && value !== undefined && <p class="issue">Not a number: {value} stays.</p>}
      {!isNumber && value === undefined && text !== "" && <p class="issue">Not a number: nothing is sent.</p>}
      {!isExact && <p class="issue">Beyond 2^53: not exact in JSON.</p>}
    </>
  );
}

export function Choice(
  { form, value, path, label, values }: FieldProps & { readonly values: readonly Json[] },
): JSX.Element {
  const texts = values.map((one) => JSON.stringify(one));
  const current = JSON.stringify(value);
  return (
    <select
      aria-label={label}
      value={current ?? ""}
      onChange={(event) => form.write(path, JSON.parse(event.currentTarget.value) as Json)}
    >
      {!texts.includes(current ?? "") && <option value={current ?? ""} disabled>{current ?? "choose"}</option>}
      {texts.map((text, index) => (
        <option key={text} value={text}>{typeof values[index] === "string" ? String(values[index]) : text}</option>
      ))}
    </select>
  );
}

/** JSON text of one value. What cannot be parsed stays as text, and the last good value remains. */
export function JsonField(
  { value, label, onChange, rows = 2 }: {
    readonly value: Json | undefined;
    readonly label: string;
    readonly rows?: number;
    onChange(value: Json): void;
  },
): JSX.Element {
  const [text, setText] = useState(() => show(value));
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!means(text, value)) {
      setText(show(value));
      setProblem("");
    }
  }, [value]);
  const read = (typed: string) => {
    setText(typed);
    try {
      onChange(JSON.parse(typed) as Json);
      setProblem("");
    } catch (thrown) {
      setProblem(String((thrown as Error).message));
    }
  };
  return (
    <>
      <textarea
        class="code"
        rows={Math.max(rows, Math.min(24, text.split("\n").length))}
        value={text}
        spellcheck={false}
        aria-label={`${label} as JSON`}
        aria-invalid={problem !== ""}
        onInput={(event) => read(event.currentTarget.value)}
      />
      {problem !== "" && <p class="issue" role="alert">{problem}. The last good value stays.</p>}
    </>
  );
}

function show(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function means(text: string, value: Json | undefined): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function hintOf(schema: Schema): string {
  const { format, minimum, maximum } = schema;
  if (typeof format === "string") return format;
  if (minimum !== undefined || maximum !== undefined) return `${minimum ?? "…"} to ${maximum ?? "…"}`;
  return "";
}
