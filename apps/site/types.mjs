/**
 * The types that pages show for the names of some snippets, as an editor shows them. A snippet that does not type-check fails the build.
 *
 * @module
 */
import { join } from "node:path";
import { Project, SyntaxKind, ts } from "ts-morph";

/** Longer types explain nothing. */
const MAX_CHARS = 420;
/** What a reader declares or calls; not what is imported, and not the steps of a builder. */
const SHOWN = /^(?:const|let|\(parameter\)|\(property\)) /;

/**
 * Names with their types, of snippets by their place.
 *
 * @param {string} root Root of the repository, whose `tsconfig.json` has the paths of the entries.
 * @param {ReadonlyMap<string, string>} snippets
 * @returns {Map<string, readonly { at: number, name: string, type: string }[]>} By the code of the snippet.
 * @throws {Error} If a snippet has errors.
 */
export function findTypes(root, snippets) {
  const project = new Project({
    tsConfigFilePath: join(root, "tsconfig.json"),
    skipAddingFilesFromTsConfig: true,
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  });
  const files = Array.from(snippets, ([place, code], index) => {
    // A module also without imports and exports.
    const file = project.createSourceFile(join(root, `.snippets/${index}.ts`), `${code}\nexport {};\n`);
    return { place, code, file };
  });
  const problems = files.flatMap(({ place, file }) => problemsOf(file).map((problem) => `${place}: ${problem}`));
  if (problems.length > 0) throw new Error(`A snippet does not type-check:\n${problems.join("\n")}`);
  const service = project.getLanguageService().compilerObject;
  return new Map(files.map(({ code, file }) => [code, namesOf(file, service)]));
}

function problemsOf(file) {
  return file.getPreEmitDiagnostics().map((problem) => {
    const text = ts.flattenDiagnosticMessageText(problem.compilerObject.messageText, " ");
    return `line ${problem.getLineNumber()}: ${text}`;
  });
}

function namesOf(file, service) {
  return file.getDescendantsOfKind(SyntaxKind.Identifier).flatMap((node) => {
    const info = service.getQuickInfoAtPosition(file.getFilePath(), node.getStart());
    const type = ts.displayPartsToString(info?.displayParts);
    if (!SHOWN.test(type) || type.length > MAX_CHARS || type.includes("\nimport ")) return [];
    return [{ at: node.getStart(), name: node.getText(), type: type.replace(/ \(\+\d+ overloads?\)$/, "") }];
  });
}
