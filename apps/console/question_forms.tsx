/** The questions of a call, and the controls that answer them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ArgumentForm } from "./editor.tsx";
import { asSchema, type Json, resolve, type Schema, start } from "./json_schema.ts";
import type { Asked, PageQuestion, QuestionAnswer } from "./questions.ts";
import { ResultValue, visible } from "./value.tsx";

interface QuestionFormsProps {
  readonly asked: Asked;
  /** The answers that the call has now refused, if it asks again. */
  readonly before: Readonly<Record<string, QuestionAnswer>>;
  /** Called when all questions have an answer. */
  onAnswer(responses: Readonly<Record<string, QuestionAnswer>>): void;
}

/** Questions are answered one by one. The answers are sent together. */
export function QuestionForms({ asked: { questions }, before, onAnswer }: QuestionFormsProps): JSX.Element {
  const [given, setGiven] = useState<Readonly<Record<string, QuestionAnswer>>>({});
  const answer = (key: string, one: QuestionAnswer) => {
    const all = { ...given, [key]: one };
    setGiven(all);
    if (questions.every((question) => Object.hasOwn(all, question.key))) onAnswer(all);
  };
  return (
    <>
      {questions.map((question) => {
        const { key } = question;
        return (
          <fieldset class="question" key={key}>
            <legend>{visible(TITLES[question.kind])}</legend>
            {Object.hasOwn(given, key)
              ? <p class="dim">{given[key]?.action === "accept" ? "✓ answered" : "⊘ declined"}</p>
              : <Question question={question} before={before[key]} onAnswer={(one) => answer(key, one)} />}
          </fieldset>
        );
      })}
    </>
  );
}

const TITLES: Readonly<Record<PageQuestion["kind"], string>> = {
  form: "The tool asks",
  url: "The tool asks for a visit of a page",
  more: "The tool asks for more",
  sampling: "The tool asks a model",
  roots: "The tool asks for folders",
};

const ACCEPT: Readonly<Record<PageQuestion["kind"], string>> = {
  form: "Answer",
  url: "I have visited it",
  more: "Grant",
  sampling: "Answer as the model",
  roots: "Answer",
};

interface QuestionProps {
  readonly question: PageQuestion;
  readonly before: QuestionAnswer | undefined;
  onAnswer(answer: QuestionAnswer): void;
}

function Question({ question, before, onAnswer }: QuestionProps): JSX.Element {
  const { kind, message, params } = question;
  const schema = SCHEMAS[kind] ?? question.schema ?? {};
  const [content, setContent] = useState<Json>(() => {
    const isRepeated = kind === "form" && params["refused"] !== undefined;
    return isRepeated && before?.content !== undefined ? before.content : begin(schema);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(toAnswer(kind, content));
      }}
    >
      {message !== "" && <p class="description">{visible(message)}</p>}
      {typeof params["refused"] === "string" && <p class="issue" role="alert">{visible(params["refused"])}</p>}
      <About question={question} />
      {Object.keys(asSchema(schema["properties"])).length > 0 && (
        <ArgumentForm schema={schema} value={content} issues={[]} onChange={setContent} />
      )}
      <div class="actions">
        <button type="submit" class="primary">{ACCEPT[kind]}</button>
        <button type="button" onClick={() => onAnswer({ action: "decline" })}>Decline</button>
        {kind === "form" && <button type="button" onClick={() => onAnswer({ action: "cancel" })}>Cancel</button>}
      </div>
    </form>
  );
}

/** What a question shows beside its message and its form. */
function About({ question: { kind, params } }: { readonly question: PageQuestion }): JSX.Element | null {
  const { url, messages, systemPrompt, refused: _, mode: __, ...others } = params;
  if (kind === "url") return <Url url={String(url)} />;
  if (kind === "sampling") {
    return <ResultValue value={systemPrompt === undefined ? messages : { systemPrompt, messages }} />;
  }
  if (kind === "more" && Object.keys(others).length > 0) return <ResultValue value={others} />;
  return null;
}

/** Only addresses of web pages are links: others could run scripts of this page, or programs. */
function Url({ url }: { readonly url: string }): JSX.Element {
  const isWeb = /^https?:\/\//.test(url) && URL.canParse(url);
  return (
    <p>
      <code>{visible(url)}</code> {isWeb
        ? <a href={url} target="_blank" rel="noopener noreferrer">Open {visible(new URL(url).host)} in a new tab</a>
        : <span class="issue">This is not the address of a web page.</span>}
    </p>
  );
}

const SCHEMAS: Partial<Record<PageQuestion["kind"], Schema>> = {
  sampling: {
    type: "object",
    properties: { text: { type: "string", description: "Answer of the model" } },
    required: ["text"],
  },
  roots: {
    type: "object",
    properties: { uri: { type: "string", format: "uri", default: "file:///", description: "A folder" } },
    required: ["uri"],
  },
  more: {},
  url: {},
};

/** A form of a question begins with its defaults. */
function begin(schema: Schema): Json {
  const defaults = Object.entries(asSchema(resolve(schema, schema)["properties"])).flatMap(([name, member]) => {
    const resolved = resolve(member, schema);
    return "default" in resolved ? [[name, resolved["default"] as Json] as const] : [];
  });
  return { ...Object.fromEntries(defaults), ...start(schema, schema) as object };
}

function toAnswer(kind: PageQuestion["kind"], content: Json): QuestionAnswer {
  if (kind === "form") return { action: "accept", content };
  const { text = "", uri = "" } = content as Readonly<Record<string, Json>>;
  if (kind === "roots") return { action: "accept", content: { roots: [{ uri }] } };
  if (kind !== "sampling") return { action: "accept" };
  return { action: "accept", content: { role: "assistant", content: { type: "text", text }, model: "person" } };
}
