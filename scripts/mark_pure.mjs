// Lets bundlers remove what a program does not use from a file of several modules. A bundler removes an unused module of a package
// whose manifest has `"sideEffects": false`; inside of one file it keeps each statement that might have effects.
import { parse } from "@babel/parser";

/** Expressions without effects, if all nodes in them are such expressions. Functions do not run when they are defined. */
const LITERALS = /^(String|Numeric|Boolean|Null|RegExp|BigInt)Literal$|^Identifier$|FunctionExpression$/;

/**
 * Marks initial values of constants at the top level as free of effects, and removes imports for effects between our own files. Both
 * is what `"sideEffects": false` states of each module.
 */
export function markPure(code) {
  const edits = parse(code, { sourceType: "module" }).program.body.flatMap(editsOf);
  return edits.reverse().reduce(
    (text, { start, end, before = "", after = "", keeps }) =>
      text.slice(0, start) + before + (keeps ? text.slice(start, end) : "") + after + text.slice(end),
    code,
  );
}

function editsOf(statement) {
  const { type, start, end } = statement;
  if (type === "ImportDeclaration") {
    return statement.specifiers.length === 0 && statement.source.value.startsWith(".") ? [{ start, end }] : [];
  }
  if (type !== "VariableDeclaration" || statement.kind === "let") return [];
  return statement.declarations.filter(({ id, init }) => id.type === "Identifier" && !isPure(init)).map(({ init }) => ({
    start: init.start,
    end: init.end,
    before: "/* @__PURE__ */ (() => (",
    after: "))()",
    keeps: true,
  }));
}

/** Whether every bundler removes it without a mark. `await` cannot be inside of a function that is not asynchronous. */
function isPure(node) {
  if (node === null || LITERALS.test(node.type)) return true;
  if (node.type === "AwaitExpression") return true;
  // esbuild marks what it knows, such as `new Map()`; arguments may still have effects.
  if (node.leadingComments?.at(-1)?.value.trim() === "@__PURE__") return (node.arguments ?? []).every(isPure);
  if (node.type === "ArrayExpression") return node.elements.every(isPure);
  if (node.type === "ObjectExpression") return node.properties.every(isPureProperty);
  if (node.type === "ClassExpression") return node.body.body.every(isPureMember);
  return node.type === "UnaryExpression" && isPure(node.argument);
}

function isPureProperty({ type, computed, value }) {
  return !computed && (type === "ObjectMethod" || (type === "ObjectProperty" && isPure(value)));
}

function isPureMember({ type, static: isStatic, value }) {
  return type !== "StaticBlock" && !(isStatic && /Property$/.test(type) && !isPure(value ?? null));
}
