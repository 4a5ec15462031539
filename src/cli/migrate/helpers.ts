/** Functions that are written into a converted file, because its code calls them. */
import type { HelperWriter } from "./draft.ts";

/** Keeps a text beside a structured answer: the map, and the function that fills it. */
export const textKeeper: HelperWriter = (draft, isScript) => {
  const [map, keep] = [draft.freeName("answerTexts"), draft.freeName("withText")];
  const type = isScript ? "" : draft.imports.use("toolwire", "RenderedOutput", { isType: true });
  const lines = [
    "/** Texts beside structured answers, for `.render()`. */",
    `const ${map} = new WeakMap${isScript ? "" : `<object, ${type}>`}();`,
    isScript
      ? `function ${keep}(answer, text) {`
      : `function ${keep}<Answer extends object>(answer: Answer, text: ${type}): Answer {`,
    `${draft.unit}${map}.set(answer, text);`,
    `${draft.unit}return answer;`,
    "}",
  ];
  return { names: [map, keep], lines };
};

/** Adds JSON Schema to a schema of a library that does not make it. */
export const jsonSchemaAdder: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("withJsonSchema");
  const schema = isScript ? "" : draft.imports.use("toolwire", "Schema", { isType: true });
  const { unit } = draft;
  const lines = [
    "/** A schema with the JSON Schema that an adapter makes of it. */",
    isScript
      ? `function ${name}(schema, adapter) {`
      : `function ${name}<Given extends ${schema}>(schema: Given, adapter: (schema: unknown) => unknown): Given {`,
    `${unit}const convert = () => adapter(schema);`,
    `${unit}const standard = { ...schema["~standard"], jsonSchema: { input: convert, output: convert } };`,
    `${unit}return { "~standard": standard }${isScript ? "" : " as unknown as Given"};`,
    "}",
  ];
  return { names: [name], lines };
};

/** Reads a result that a function elsewhere made: its value, or a failure. */
export const resultReader: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("answerOf", "answerOfResult");
  const failure = draft.imports.use("toolwire", "Failure");
  const { unit } = draft;
  const any = isScript ? "" : ": any";
  const lines = [
    "/** The answer of a result with content: its blocks or structured value. An error is thrown. */",
    `function ${name}(result${any})${any} {`,
    `${unit}if (result instanceof Promise) return result.then(${name});`,
    `${unit}const { content = [], isError, structuredContent } = result;`,
    `${unit}const texts = content.map((block${any}) => block.text ?? "").filter(Boolean);`,
    `${unit}if (isError) throw new ${failure}("failed", texts.join("\\n") || "The tool failed");`,
    `${unit}return structuredContent ?? content;`,
    "}",
  ];
  return { names: [name], lines };
};
