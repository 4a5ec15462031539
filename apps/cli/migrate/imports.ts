/** The imports of one file: what its names come from, what is added, and what is no longer used. */
import { type Identifier, type ImportDeclaration, Node, type SourceFile, ts } from "ts-morph";
import type { Edits } from "./edits.ts";
import { type Library, MODULES } from "./tables.ts";

/** A named import from a converted library, by which its uses are recognized. */
export interface KnownImport {
  readonly library: Library;
  /** Name of the export: `McpServer`. */
  readonly name: string;
  readonly declaration: ImportDeclaration;
}

/** A name that the rewritten file has to import. */
interface Added {
  readonly module: string;
  readonly name: string;
  readonly local: string;
  readonly isType: boolean;
  /** Form of the clause: `{ name }` or a default import. */
  readonly isDefault: boolean;
}

/** How a name is imported. */
interface ImportForm {
  readonly isType?: boolean;
  readonly isDefault?: boolean;
}

/** What {@link Imports} needs of a file: its source, edits and names. A `Draft` has these. */
export interface ImportingFile {
  readonly source: SourceFile;
  readonly edits: Edits;
  readonly eol: string;
  freeName(...wanted: readonly string[]): string;
  uses(name: Identifier): readonly Identifier[];
  remove(statement: Node): void;
}

/** The imports of one file: finds names of converted libraries, adds names of Toolwire, and removes unused ones. */
export class Imports {
  readonly #draft: ImportingFile;
  readonly #known = new Map<string, KnownImport>();
  readonly #added = new Map<string, Added>();

  constructor(draft: ImportingFile) {
    this.#draft = draft;
    for (const declaration of draft.source.getImportDeclarations()) {
      const library = libraryOf(declaration.getModuleSpecifierValue());
      if (library === undefined) continue;
      for (const named of declaration.getNamedImports()) {
        const local = named.getAliasNode()?.getText() ?? named.getName();
        this.#known.set(local, { library, name: named.getName(), declaration });
      }
    }
  }

  /** The library of the first known import of the file. `undefined` if it imports none of them. */
  get library(): Library | undefined {
    return [...this.#known.values()][0]?.library;
  }

  /** What an identifier is imported as, from a converted library. */
  known(node: Node | undefined): KnownImport | undefined {
    return node !== undefined && Node.isIdentifier(node) ? this.#known.get(node.getText()) : undefined;
  }

  /** Whether an identifier is one of these exports of a converted library. */
  isAny(node: Node | undefined, ...names: readonly string[]): boolean {
    const known = this.known(node);
    return known !== undefined && names.includes(known.name);
  }

  /** The local name of an import of Toolwire, or of another package. */
  use(module: string, name: string, { isType = false, isDefault = false }: ImportForm = {}): string {
    const key = `${module} ${name}`;
    const earlier = this.#added.get(key) ?? this.#existing(module, name, isDefault);
    const isTypeOnly = isType && (earlier?.isType ?? true);
    const local = earlier?.local ?? this.#localName(name);
    this.#added.set(key, { module, name, local, isType: isTypeOnly, isDefault });
    return local;
  }

  /** A name of an import that stays under the same name. */
  #existing(module: string, name: string, isDefault: boolean): Added | undefined {
    const declarations = this.#draft.source.getImportDeclarations();
    for (const declaration of declarations.filter((one) => one.getModuleSpecifierValue() === module)) {
      const named = declaration.getNamedImports().find((one) => one.getName() === name);
      const node = isDefault ? declaration.getDefaultImport() : named?.getAliasNode() ?? named?.getNameNode();
      if (node === undefined) continue;
      return {
        module,
        name,
        local: node.getText(),
        isType: declaration.isTypeOnly() || named?.isTypeOnly() === true,
        isDefault,
      };
    }
    return undefined;
  }

  #localName(name: string): string {
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    // The import of the same name is replaced.
    if (this.#known.get(name)?.name === name) return name;
    return this.#draft.freeName(
      name,
      name.startsWith("create") ? `createToolwire${capital.slice(6)}` : `toolwire${capital}`,
    );
  }

  /** Writes the imports: removes names that are no longer used, and adds those that are. */
  write(): void {
    const { source, edits, eol } = this.#draft;
    const text = this.#render([...this.#added.values()].filter((one) => this.#isMissing(one)));
    const all = source.getImportDeclarations();
    const names = namesIn(edits.apply(), source.getBaseName());
    let rest = text;
    for (const declaration of all) {
      const kept = this.#keptClause(declaration, names);
      if (kept === undefined) continue;
      if (kept !== "") edits.replace(declaration, kept);
      else if (rest === "") this.#draft.remove(declaration);
      else [rest] = ["", edits.replace(declaration, rest)];
    }
    const last = all.at(-1);
    if (rest !== "" && last !== undefined) edits.insert(last.getEnd(), `${eol}${rest}`);
  }

  #isMissing({ module, name, isDefault, isType }: Added): boolean {
    const existing = this.#existing(module, name, isDefault);
    return existing === undefined || (existing.isType && !isType);
  }

  /** The declaration without unused names: `undefined` if it stays, `""` if nothing is left. */
  #keptClause(declaration: ImportDeclaration, used: ReadonlySet<string>): string | undefined {
    const isKnown = libraryOf(declaration.getModuleSpecifierValue()) !== undefined;
    const replaced = new Set([...this.#added.values()].filter((one) => this.#isMissing(one)).map(({ local }) => local));
    const others = [declaration.getDefaultImport(), declaration.getNamespaceImport()].filter((one) =>
      one !== undefined
    );
    const names = declaration.getNamedImports();
    // Names that the file did not use before are left alone.
    const isKept = (node: Node) => {
      const local = node.getText();
      if (replaced.has(local)) return false;
      return used.has(local) || (!isKnown && Node.isIdentifier(node) && this.#draft.uses(node).length === 0);
    };
    const keptOthers = others.filter(isKept);
    const kept = names.filter((one) => isKept(one.getAliasNode() ?? one.getNameNode()));
    if (others.length + names.length === 0) return isKnown ? "" : undefined;
    if (kept.length === names.length && keptOthers.length === others.length) return undefined;
    if (kept.length + keptOthers.length === 0) return "";
    const clause = [
      ...keptOthers.map((one) => one === declaration.getNamespaceImport() ? `* as ${one.getText()}` : one.getText()),
      ...(kept.length > 0 ? [`{ ${kept.map((one) => one.getText()).join(", ")} }`] : []),
    ];
    const type = declaration.isTypeOnly() ? " type" : "";
    return `import${type} ${clause.join(", ")} from ${declaration.getModuleSpecifier().getText()};`;
  }

  #render(added: readonly Added[]): string {
    const modules = [...new Set(added.map(({ module }) => module))].sort();
    return modules.map((module) => {
      const of = added.filter((one) => one.module === module).sort((one, other) => one.name < other.name ? -1 : 1);
      const defaults = of.filter(({ isDefault }) => isDefault).map(({ local }) => local);
      const areTypes = of.every(({ isType }) => isType) && defaults.length === 0;
      const names = of.filter(({ isDefault }) => !isDefault).map(({ name, local, isType }) =>
        `${isType && !areTypes ? "type " : ""}${name === local ? name : `${name} as ${local}`}`
      );
      const clause = [...defaults, ...(names.length > 0 ? [`{ ${names.join(", ")} }`] : [])].join(", ");
      return `import ${areTypes ? "type " : ""}${clause} from ${this.#quote(module)};`;
    }).join(this.#draft.eol);
  }

  #quote(module: string): string {
    return /from '/.test(this.#draft.source.getFullText()) ? `'${module}'` : `"${module}"`;
  }
}

/** The converted library that a module is part of; `undefined` for all other modules. */
export function libraryOf(module: string): Library | undefined {
  return MODULES.find(([pattern]) => pattern.test(module))?.[1];
}

/** Identifiers of a text, those of its imports left out. */
function namesIn(text: string, fileName: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest));
  return names;
}
