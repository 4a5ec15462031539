/** Functions that are written into a converted file, because its code calls them. */
import type { HelperWriter } from "./draft.ts";

/** Writes `answerTexts`, a map, and `withText()`, which keeps the text beside a structured answer in it for `.render()`. */
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

/** Writes `withJsonSchema(schema, adapter)`: a schema with the JSON Schema to which an adapter of mcp-lite converts it. */
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

/** Writes `answerOf(result)`, which reads an MCP result at run time: returns its structured value or blocks, throws a `Failure` if `isError`. */
export const resultReader: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("answerOf", "answerOfResult");
  const failure = draft.imports.use("toolwire", "Failure");
  const { unit } = draft;
  // Results of the library have loose types: the converted file would not compile with `unknown`.
  const any = isScript ? "" : ": any";
  const lines = [
    "/** The answer of a result with content: its blocks or structured value. An error is thrown. What is not a result stays. */",
    `function ${name}(result${any})${any} {`,
    `${unit}if (result instanceof Promise) return result.then(${name});`,
    `${unit}const isResult = ["content", "structuredContent", "isError"].some((name) => Object(result)[name] !== undefined);`,
    `${unit}if (!isResult) return result;`,
    `${unit}const { content = [], isError, structuredContent } = result;`,
    `${unit}const texts = content.map((block${any}) => block.text ?? "").filter(Boolean);`,
    `${unit}if (isError) throw new ${failure}("failed", texts.join("\\n") || "The tool failed");`,
    `${unit}return structuredContent ?? content;`,
    "}",
  ];
  return { names: [name], lines };
};

/** Writes `inRounds()`, `askCaller()` and `acceptedAnswer()`: a handler with `inputRequired()` of 2.x asks by `ctx.ask()`, round by round. */
export const roundRunner: HelperWriter = (draft, isScript) => {
  const names = [draft.freeName("inRounds"), draft.freeName("askCaller"), draft.freeName("acceptedAnswer")];
  const [run, ask, accepted] = names;
  const failure = draft.imports.use("toolwire", "Failure");
  const jsonSchema = draft.imports.use("toolwire/json-schema", "jsonSchema");
  const ctx = isScript ? "" : draft.imports.use("toolwire", "Ctx", { isType: true });
  const typed = (text: string) => isScript ? "" : text;
  const round = typed(": { inputResponses?: Record<string, any>; requestState?: any }");
  const lines = `
/** A result that asks the caller, and what the next round has to know. */
function ${ask}(asked${typed(": { inputRequests?: Record<string, any>; requestState?: any }")}) {
  return { resultType: ${typed('"input_required" as const') || '"input_required"'}, ...asked };
}

/** The content of an accepted answer. */
function ${accepted}${typed("<Content = any>")}(answers${typed(": Record<string, any> | undefined")}, key${
    typed(": string")
  })${typed(": Content | undefined")} {
  return answers?.[key]?.action === "accept" ? answers[key].content : undefined;
}

/** Runs a handler by rounds. Each round runs once if it is a step, with the answers to the questions of the round before. */
async function ${run}${typed("<Result>")}(ctx${typed(`: ${ctx}`)}, handle${
    typed(`: (round${round}) => Promise<Result>`)
  }, isStep = true)${typed(`: Promise<Exclude<Result, ReturnType<typeof ${ask}>>>`)} {
  let round${round} = {};
  for (let count = 1;; count++) {
    const current = round;
    let last${typed(": any")};
    const work = async () => last = await handle(current);
    const result${typed(": any")} = await (isStep ? ctx.step(\`round_\${count}\`, work) : work());
    if (result?.resultType !== "input_required") return last ?? result;
    const asked = Object.entries(result.inputRequests ?? {})${typed(" as [string, any][]")};
    const questions = asked.map(([key, { mode: _, requestedSchema, ...rest }]) => [
      \`\${key}_\${count}\`,
      requestedSchema === undefined ? rest : { ...rest, schema: ${jsonSchema}(requestedSchema) },
    ]);
    const answers${typed(": Record<string, any>")} = await ctx.ask(Object.fromEntries(questions));
    const responses = asked.map(([key, question]) => {
      const answer = answers[\`\${key}_\${count}\`];
      if ("message" in question) return [key, answer];
      if (answer.action !== "accept") throw new ${failure}("declined", "The caller declined");
      return [key, answer.content];
    });
    round = { inputResponses: Object.fromEntries(responses), requestState: result.requestState };
  }
}`.trim().replaceAll(/^( {2})+/gm, (spaces) => draft.unit.repeat(spaces.length / 2));
  return { names, lines: lines.split("\n") };
};
