/** The argument editor: form and JSON are two views of one value, and a form writes only where a person edited. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Issue } from "./api.ts";
import {
  alternatives,
  asSchema,
  chosenAmong,
  first,
  isObject,
  type Json,
  labelOf,
  memberOf,
  type Path,
  pointerOf,
  resolve,
  type Schema,
  set,
  switchTo,
  typesOf,
} from "./json_schema.ts";
import { visible } from "./value.tsx";

interface EditorProps {
  readonly schema: Schema;
  readonly value: Json;
  readonly issues: readonly Issue[];
  onChange(value: Json): void;
}

/** State that all fields of one editor share. */
interface Form {
  readonly root: Schema;
  readonly issues: ReadonlyMap<string, string>;
  /** Sets the value at a path; `undefined` leaves it out. */
  write(path: Path, value: Json | undefined): void;
}

interface FieldProps {
  readonly form: Form;
  readonly schema: Schema;
  readonly value: Json | undefined;
  readonly path: Path;
  readonly label: string;
}

export function ArgumentForm({ schema, value, issues, onChange }: EditorProps): JSX.Element {
  const root = resolve(schema, schema);
  const texts = new Map(issues.map(({ path, message }) => [pointerOf(path), message]));
  const form: Form = { root: schema, issues: texts, write: (path, next) => onChange(set(value, path, next) ?? {}) };
  const properties = Object.keys(asSchema(root["properties"]));
  return (
    <div class="form">
      {texts.has("") && <p class="issue" role="alert">{texts.get("")}</p>}
      {properties.length === 0 && root["additionalProperties"] === undefined && alternatives(root, schema).length === 0
        ? <p class="dim">This tool takes no arguments.</p>
        : <Value form={form} schema={root} value={value} path={[]} label="arguments" />}
    </div>
  );
}

/** The control for a value, by its schema. */
function Value(props: FieldProps): JSX.Element {
  const { form, schema, value, path, label } = props;
  const options = alternatives(schema, form.root);
  if ("const" in schema) return <code class="const">{JSON.stringify(schema["const"])}</code>;
  if (Array.isArray(schema["enum"])) return <Choice {...props} values={schema["enum"] as Json[]} />;
  if (options.length > 0) return <Alternatives {...props} options={options} />;
  const [type] = typesOf(schema);
  const isObjectSchema = type === "object" || (type === undefined && schema["properties"] !== undefined);
  if (isObjectSchema && (value === undefined || isObject(value))) return <Members {...props} />;
  if (type === "array" && (value === undefined || Array.isArray(value))) return <Items {...props} />;
  if (type === "boolean" && (value === undefined || typeof value === "boolean")) {
    return <Choice {...props} values={[true, false]} />;
  }
  if (type === "null") return <code class="const">null</code>;
  if ((type === "number" || type === "integer") && (value === undefined || typeof value === "number")) {
    return <NumberField {...props} />;
  }
  if (type === "string" && (value === undefined || typeof value === "string")) return <TextField {...props} />;
  return <JsonField value={value} label={label} onChange={(next) => form.write(path, next)} />;
}

function Issues(
  { form, path, id }: { readonly form: Form; readonly path: Path; readonly id: string },
): JSX.Element | null {
  const message = form.issues.get(pointerOf(path));
  return message === undefined || path.length === 0 ? null : <p class="issue" id={id} role="alert">{message}</p>;
}

function TextField({ form, schema, value, path, label }: FieldProps): JSX.Element {
  const text = typeof value === "string" ? value : "";
  const isSecret = schema["format"] === "password" || schema["writeOnly"] === true;
  const write = (event: { readonly currentTarget: { readonly value: string } }) =>
    form.write(path, event.currentTarget.value);
  const common = { value: text, onInput: write, "aria-label": label, spellcheck: false };
  if (isSecret) return <input type="password" autocomplete="off" {...common} />;
  return <textarea rows={Math.min(8, text.split("\n").length)} {...common} placeholder={hintOf(schema)} />;
}

/** A number is text while it is typed, so that "1e" and "-" can be. */
function NumberField({ form, schema, value, path, label }: FieldProps): JSX.Element {
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

function Choice({ form, value, path, label, values }: FieldProps & { readonly values: readonly Json[] }): JSX.Element {
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

function Alternatives({ options, ...props }: FieldProps & { readonly options: readonly Schema[] }): JSX.Element {
  const { form, value, path, label } = props;
  const index = chosenAmong(options, value, form.root);
  const chosen = options[index];
  return (
    <div class="alternatives">
      <select
        aria-label={`kind of ${label}`}
        value={String(index)}
        onChange={(event) => {
          const option = options[Number(event.currentTarget.value)];
          if (option !== undefined) form.write(path, switchTo(option, value, form.root));
        }}
      >
        {index === -1 && <option value="-1">{value === undefined ? "choose" : "as written"}</option>}
        {options.map((option, at) => <option key={at} value={String(at)}>{visible(labelOf(option))}</option>)}
      </select>
      {chosen === undefined
        ? <JsonField value={value} label={label} onChange={(next) => form.write(path, next)} />
        : <Value {...props} schema={chosen} />}
    </div>
  );
}

function Members({ form, schema, value, path }: FieldProps): JSX.Element {
  const members = isObject(value) ? value : {};
  const properties = asSchema(schema["properties"]);
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] as string[] : []);
  const others = Object.keys(members).filter((name) => !Object.hasOwn(properties, name));
  const { additionalProperties } = schema;
  return (
    <div class="members">
      {Object.entries(properties).map(([name, member]) => (
        <Member
          key={name}
          form={form}
          schema={resolve(member, form.root)}
          value={memberOf(members, name)}
          path={[...path, name]}
          label={name}
          isRequired={required.has(name)}
        />
      ))}
      {others.map((name) => (
        <Member
          key={name}
          form={form}
          schema={resolve(additionalProperties, form.root)}
          value={memberOf(members, name)}
          path={[...path, name]}
          label={name}
          isRequired={false}
          note={additionalProperties === false ? "not declared" : undefined}
        />
      ))}
      {additionalProperties !== undefined && additionalProperties !== false && (
        <AddMember
          taken={members}
          onAdd={(name) => form.write([...path, name], first(resolve(additionalProperties, form.root), form.root))}
        />
      )}
    </div>
  );
}

interface MemberProps extends FieldProps {
  readonly isRequired: boolean;
  readonly note?: string | undefined;
}

/** A member that is left out is a button; pressing it begins with the default. */
function Member({ isRequired, note, ...props }: MemberProps): JSX.Element {
  const { form, schema, value, path, label } = props;
  const id = useId();
  // The control of a required text or number is there at once. It writes nothing before a person does.
  const isAbsent = value === undefined && !(isRequired && isPlain(schema));
  const name = (
    <span class="name" title={textOf(schema["description"])}>
      {visible(label)}
      {isRequired && (
        <span class="required">
          <span aria-hidden="true">*</span>
          <span class="hidden">required</span>
        </span>
      )}
    </span>
  );
  const begin = () => form.write(path, first(schema, form.root));
  return (
    <div class={isAbsent ? "member absent" : "member"}>
      <div class="head">
        {name}
        <span class="dim">{note ?? visible(labelOf({ ...schema, title: undefined }))}</span>
        {value !== undefined && (
          <button
            type="button"
            class="quiet"
            aria-label={`Leave out ${label}`}
            onClick={() => form.write(path, undefined)}
          >
            ×
          </button>
        )}
      </div>
      {isAbsent
        ? (
          <button type="button" class="begin" onClick={begin}>
            {"default" in schema ? `default ${JSON.stringify(schema["default"])} · left out` : "left out · add"}
          </button>
        )
        : <Value {...props} />}
      {typeof schema["description"] === "string" && <p class="dim description">{visible(schema["description"])}</p>}
      <Issues form={form} path={path} id={id} />
    </div>
  );
}

function isPlain(schema: Schema): boolean {
  const [type = "", ...others] = typesOf(schema);
  return Array.isArray(schema["enum"]) ||
    (others.length === 0 && ["string", "number", "integer", "boolean"].includes(type));
}

function AddMember({ taken, onAdd }: { readonly taken: object; onAdd(name: string): void }): JSX.Element {
  const [name, setName] = useState("");
  const isTaken = Object.hasOwn(taken, name);
  return (
    <div class="add">
      <input
        value={name}
        aria-label="Name of a new member"
        placeholder="name"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button
        type="button"
        disabled={name === "" || isTaken}
        onClick={() => {
          onAdd(name);
          setName("");
        }}
      >
        Add member
      </button>
      {isTaken && <span class="issue">There is a member of this name.</span>}
    </div>
  );
}

function Items({ form, schema, value, path, label }: FieldProps): JSX.Element {
  const items = Array.isArray(value) ? value as readonly Json[] : [];
  const { prefixItems } = schema;
  const positions = Array.isArray(prefixItems) ? prefixItems : [];
  const schemaAt = (index: number) => resolve(positions[index] ?? schema["items"], form.root);
  const canAdd = schema["items"] !== false || items.length < positions.length;
  return (
    <div class="items">
      {items.map((item, index) => (
        <div class="item" key={index}>
          <span class="dim index">{index}</span>
          <div>
            <Value
              form={form}
              schema={schemaAt(index)}
              value={item}
              path={[...path, index]}
              label={`${label} ${index}`}
            />
            <Issues form={form} path={[...path, index]} id={`${label}-${index}`} />
          </div>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${label} ${index}`}
            onClick={() => form.write([...path, index], undefined)}
          >
            ×
          </button>
        </div>
      ))}
      {canAdd && (
        <button
          type="button"
          class="begin"
          onClick={() => form.write([...path, items.length], first(schemaAt(items.length), form.root))}
        >
          Add to {label}
        </button>
      )}
    </div>
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function Pane(
  { title, children, actions }: {
    readonly title: string;
    readonly children: ComponentChildren;
    readonly actions?: ComponentChildren;
  },
): JSX.Element {
  return (
    <section class="pane" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <div class="actions">{actions}</div>
      </header>
      <div class="scroll" tabIndex={0}>{children}</div>
    </section>
  );
}
