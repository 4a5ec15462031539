/** The form of a wait, for people: fields of a flat JSON Schema, as HTML without scripts, and the value that such a form posts. */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { parseJson } from "../../wires/framing/json_rpc/decode.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Name of the field of a value that is not an object, and of the button that refuses. Not a name of a property. */
const WHOLE = "=";
const DECLINE = "~";

/** Longest text of a field in one line, in characters. */
const LINE_CHARS = 200;

/** Escapes text for HTML, also within quotes. */
export function escapeHtml(text: unknown): string {
  return String(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Fields of a schema: the properties of an object, or one for the whole value. */
function fieldsOf(schema: Schema): readonly (readonly [name: string, schema: Schema, isRequired: boolean])[] {
  if (schema["type"] !== "object" || !isJsonObject(schema["properties"])) return [[WHOLE, schema, true]];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).map(([name, one]) => [name, asObject(one), required.includes(name)]);
}

/** The form for a schema. It posts to its own address. */
export function renderForm(schema: Schema): string {
  const fields = fieldsOf(schema).map(([name, one, isRequired]) => {
    const { title = name === WHOLE ? "Value" : name, description } = one;
    const hint = description === undefined ? "" : `<small>${escapeHtml(description)}</small>`;
    return `<label>${escapeHtml(title)} ${renderInput(name, one, isRequired)}${hint}</label>`;
  });
  return `<form method="post">${fields.join("")}<button>Send</button>` +
    `<button name="${DECLINE}" value="1" formnovalidate>Decline</button></form>`;
}

function renderInput(name: string, schema: Schema, isRequired: boolean): string {
  const { type, enum: choices = type === "boolean" ? [true, false] : undefined } = schema;
  const attributes = `name="${escapeHtml(name)}"${isRequired ? " required" : ""}`;
  if (Array.isArray(choices)) {
    const options = choices.map((choice) => {
      const label = choice === true ? "Yes" : choice === false ? "No" : choice;
      return `<option value="${escapeHtml(JSON.stringify(choice))}">${escapeHtml(label)}</option>`;
    });
    return `<select ${attributes}><option value=""></option>${options.join("")}</select>`;
  }
  if (type === "number" || type === "integer") return `<input type="number" step="any" ${attributes}>`;
  const { maxLength = 0 } = schema;
  if (type === "string" && Number(maxLength) <= LINE_CHARS) return `<input ${attributes}>`;
  return `<textarea ${attributes}></textarea>`;
}

/** A posted form: its value, or a refusal. */
export type PostedForm = { readonly isDeclined: true } | { readonly isDeclined: false; readonly value: unknown };

/** Reads a form that {@link renderForm} has made. Fields that are left empty are absent; what does not fit is found by the schema. */
export function readForm(body: string, schema: Schema, maxDepth: number): PostedForm {
  const form = new URLSearchParams(body);
  if (form.has(DECLINE)) return { isDeclined: true };
  const values = fieldsOf(schema).flatMap(([name, one, isRequired]) => {
    const text = form.get(name) ?? "";
    return text === "" && !(isRequired && one["type"] === "string")
      ? []
      : [[name, readField(text, one, maxDepth)] as const];
  });
  const [first] = values;
  return { isDeclined: false, value: first?.[0] === WHOLE ? first[1] : Object.fromEntries(values) };
}

/** Text stays text; anything else is JSON, if it is that and not nested too deeply: deep values block some runtimes when they are stored. */
function readField(text: string, { type, enum: choices }: Schema, maxDepth: number): unknown {
  if (type === "string" && choices === undefined) return text;
  const parsed = parseJson(text, maxDepth);
  return "error" in parsed ? text : parsed.value;
}
