/**
 * What a URI template's variables are, told from its literal type.
 *
 * @module
 */

/** Operators whose values come with their names, and may be missing. */
type Named = "?" | "&" | ";";

/** Operators whose values are all there. */
type Unnamed = "+" | "#" | "." | "/";

type Names<List extends string> = List extends `${infer First},${infer Rest}` ? First | Names<Rest> : List;

/** Names that a URI of the template must have. */
type RequiredNames<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}` ?
    | (Inner extends `${Named}${string}` ? never : Inner extends `${Unnamed}${infer List}` ? Names<List> : Names<Inner>)
    | RequiredNames<Rest>
  : never;

/** Names that it may have. */
type OptionalNames<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}`
  ? (Inner extends `${Named}${infer List}` ? Names<List> : never) | OptionalNames<Rest>
  : never;

/** Names of a template's variables; any, if the template is not a literal. */
export type VariableNames<Uri extends string> = string extends Uri ? string : RequiredNames<Uri> | OptionalNames<Uri>;

/** Values of a template's variables: `{ id: string }` of `docs://{id}`. Those of `{?…}`, `{&…}` and `{;…}` may be missing. */
export type VariablesOf<Uri extends string> = string extends Uri ? Readonly<Record<string, string>>
  : { readonly [Name in RequiredNames<Uri>]: string } & { readonly [Name in OptionalNames<Uri>]?: string };
