/**
 * Outputs that examples show: `// → text` after a statement has the value of the statement, as `render()` of `shown_values.mjs` writes it.
 *
 * After an expression it is its value, after `const name = …` the value of the constant, after `console.log(…)` the value that is printed.
 * After another statement, such as a loop, each `// →` is one call of `console.log` within it. A line `//   …` below continues the text.
 * In the text `…` matches anything.
 */
import { parse } from "@babel/parser";

/** Nodes of the syntax tree, as far as they are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}
interface Comment {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}
/** Text to insert. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Outputs below each other, after one statement. */
interface Shown {
  readonly statement: Node;
  readonly texts: readonly string[];
}

/**
 * The code with its shown outputs as calls of the functions that `run_examples.mjs` defines. Line numbers stay.
 *
 * @throws {Error} If an output follows nothing that has a value, or would match any value.
 */
export function checkShown(code: string, place: string): string {
  if (!/^.*\/\/ →/m.test(code)) return code;
  const { program, comments } = parse(code, { sourceType: "module", plugins: ["typescript"] }) as unknown as {
    readonly program: Node;
    readonly comments: readonly Comment[];
  };
  const statements = (program["body"] as readonly Node[]).filter(({ type }) => type !== "ImportDeclaration");
  const insertions = groupByStatement(code, statements, comments, place).flatMap((shown) => checksOf(shown, place));
  return insertions.toSorted((left, right) => right.at - left.at).reduce(
    (changed, { at, text }) => changed.slice(0, at) + text + changed.slice(at),
    code,
  );
}

function groupByStatement(
  code: string,
  statements: readonly Node[],
  comments: readonly Comment[],
  place: string,
): Shown[] {
  const found: { statement: Node; texts: string[]; end: number }[] = [];
  for (const { value, start, end } of comments) {
    const last = found.at(-1);
    const isNext = last !== undefined && code.slice(last.end, start).trim() === "";
    if (value.startsWith(" → ")) {
      const text = value.slice(3);
      if (/^[\s…]*$/.test(text)) throw new Error(`${place}: "// →${value.slice(2)}" would match any value`);
      if (isNext) Object.assign(last, { end, texts: [...last.texts, text] });
      else found.push({ statement: findBefore(code, statements, start, place), texts: [text], end });
    } else if (isNext && /^ {3}/.test(value)) {
      Object.assign(last, { end, texts: [...last.texts.slice(0, -1), `${last.texts.at(-1)} ${value.trim()}`] });
    }
  }
  return found;
}

function findBefore(code: string, statements: readonly Node[], start: number, place: string): Node {
  const statement = statements.findLast(({ end }) => end <= start);
  if (statement === undefined || code.slice(statement.end, start).trim() !== "") {
    throw new Error(`${place}: "${code.slice(start).split("\n")[0]}" does not follow a statement`);
  }
  return statement;
}

function checksOf({ statement, texts }: Shown, place: string): Insertion[] {
  const { type, expression, declarations, end } = statement;
  const [first] = texts;
  if (type === "ExpressionStatement" && texts.length === 1) {
    const [argument] = printedBy(expression as Node) ?? [];
    return around(argument ?? expression as Node, "__shown", [place, first, argument !== undefined]);
  }
  if (type === "VariableDeclaration" && texts.length === 1) {
    const [{ id, init }] = declarations as readonly [{ id: Node; init: Node }];
    if (id.type === "Identifier") return around(init, "__shown", [place, first, false]);
  }
  const printed = findPrinted(statement);
  if (printed.length === 0) throw new Error(`${place}: "// → ${first}" follows a statement without a value`);
  return [
    ...printed.flatMap((argument) => around(argument, "__printed", [])),
    { at: end, text: `__endPrinted(${JSON.stringify([place, texts]).slice(1, -1)});` },
  ];
}

function around({ start, end }: Node, name: string, rest: readonly unknown[]): Insertion[] {
  const further = rest.map((value) => `, ${JSON.stringify(value)}`).join("");
  return [{ at: start, text: `${name}(` }, { at: end, text: `${further})` }];
}

/** The arguments of a call of `console.log`. */
function printedBy({ type, callee, arguments: given }: Node): readonly Node[] | undefined {
  const { object, property } = (callee ?? {}) as { readonly object?: Node; readonly property?: Node };
  const isPrint = type === "CallExpression" && object?.["name"] === "console" && property?.["name"] === "log";
  return isPrint ? given as readonly Node[] : undefined;
}

function findPrinted(node: unknown): Node[] {
  if (typeof node !== "object" || node === null) return [];
  const printed = "type" in node ? printedBy(node as Node) : undefined;
  return printed === undefined ? Object.values(node).flatMap(findPrinted) : printed.slice(0, 1);
}
