/** The argument editor: form and JSON are two views of one value, and a form writes only where a person edited. */
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Issue } from "./api.ts";
import { Choice, type FieldProps, type Form, JsonField, NumberField, TextField } from "./editor_fields.tsx";
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
  /** Proposes values of a member of the root; `undefined` for none. */
  complete?: ((name: string, value: string) => Promise<readonly string[]>) | undefined;
}

export function ArgumentForm({ schema, value, issues, onChange, complete }: EditorProps): JSX.Element {
  const root = resolve(schema, schema);
  const texts = new Map(issues.map(({ path, message }) => [pointerOf(path), message]));
  const form: Form = {
    root: schema,
    issues: texts,
    complete,
    write: (path, next) => onChange(set(value, path, next) ?? {}),
  };
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
