/** Questions by rounds, of 2.x: `inputRequired()` is asked by a function of the file, which runs the handler once for each round. */
import { type CallExpression, type Identifier, Node } from "ts-morph";
import type { Draft, HelperWriter } from "./draft.ts";
import type { Handler } from "./handler.ts";

/** Converts what asks: `inputRequired`, `acceptedContent`, and the codec of the state. */
export function convertRounds(draft: Draft): void {
  for (const use of usesOf(draft, "inputRequired")) convertAsking(draft, use);
  for (const use of usesOf(draft, "acceptedContent")) draft.replace(use, draft.helper(roundRunner)[2] ?? "");
  for (const use of usesOf(draft, "createRequestStateCodec")) dropCodec(draft, use);
}

/** Whether an expression is `inputRequired(…)`. */
export function isRound(draft: Draft, node: Node | undefined): boolean {
  return Node.isCallExpression(node) && draft.imports.isAny(node.getExpression(), "inputRequired");
}

/** Runs the body of a handler by rounds. Everything in it was converted. */
export function wrapRounds(handler: Handler): void {
  const { draft, fn, round } = handler;
  const body = fn.getBody();
  if (body === undefined || round === undefined) return;
  const [run = ""] = draft.helper(roundRunner);
  // A step must not ask in place.
  const inPlace = handler.asksInPlace ? ", false" : "";
  const call = `${run}(${handler.context}, async (${round}) => ${draft.render(body)}${inPlace})`;
  if (Node.isArrowFunction(fn)) return draft.replace(body, call);
  const { eol, unit } = draft;
  const indent = draft.indentOf(fn);
  draft.replace(body, `{${eol}${indent}${unit}return ${call};${eol}${indent}}`);
}

function usesOf(draft: Draft, name: string): readonly Identifier[] {
  return draft.source.getDescendants().filter(Node.isIdentifier).filter((one) =>
    draft.imports.isAny(one, name) && !Node.isImportSpecifier(one.getParent()) &&
    !one.getAncestors().some(Node.isJSDoc)
  );
}

/** `inputRequired.elicit(question)` is the question. */
function convertAsking(draft: Draft, use: Identifier): void {
  const access = use.getParent();
  if (Node.isCallExpression(access)) return draft.replace(use, draft.helper(roundRunner)[1] ?? "");
  const call = access?.getParent();
  if (!Node.isPropertyAccessExpression(access) || !Node.isCallExpression(call)) {
    return draft.todo(use, "input-required");
  }
  const [question] = call.getArguments();
  if (access.getName() === "listRoots") draft.replace(call, "{ roots: true }");
  else if (question === undefined) draft.todo(use, "input-required");
  else unwrapCall(draft, call, question);
}

/** Leaves one argument of a call. What is in the argument may be converted later. */
function unwrapCall(draft: Draft, call: CallExpression, argument: Node): void {
  const parent = call.getParent();
  const whole = Node.isAwaitExpression(parent) ? parent : call;
  draft.edits.overwrite(whole.getStart(), argument.getStart(), "");
  if (whole.getEnd() > argument.getEnd()) draft.edits.overwrite(argument.getEnd(), whole.getEnd(), "");
}

/** State is kept by the server, in what it signs: `codec.mint(state)` is the state. */
function dropCodec(draft: Draft, use: Identifier): void {
  const declaration = use.getParent()?.getParent();
  const name = Node.isVariableDeclaration(declaration) ? declaration.getNameNode() : undefined;
  if (!Node.isVariableDeclaration(declaration) || !Node.isIdentifier(name)) return draft.todo(use, "input-required");
  let isKept = false;
  for (const one of draft.uses(name)) {
    const access = one.getParent();
    const call = access?.getParent();
    const method = Node.isPropertyAccessExpression(access) ? access.getName() : undefined;
    const [state] = Node.isCallExpression(call) ? call.getArguments() : [];
    // The option `requestState` is removed with the other options of the server.
    if (method === "verify" && !Node.isCallExpression(call)) continue;
    if (method === "mint" && Node.isCallExpression(call) && state !== undefined) unwrapCall(draft, call, state);
    else {
      isKept = true;
      draft.todo(one, "input-required");
    }
  }
  if (!isKept) draft.remove(declaration.getVariableStatementOrThrow());
}

/** Runs a handler by rounds: names of the function, of what makes a round's questions, and of what reads an answer. */
const roundRunner: HelperWriter = (draft, isScript) => {
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
