/** Modules of the site, which has packages that the root does not install. */
declare module "virtual:entries" {
  export const entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

declare module "sucrase" {
  export function transform(
    code: string,
    options: {
      readonly transforms: readonly string[];
      readonly disableESTransforms?: boolean;
      readonly preserveDynamicImport?: boolean;
    },
  ): { readonly code: string };
}
