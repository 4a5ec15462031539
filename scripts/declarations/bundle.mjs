// Joins the declarations of all modules into one file for each entry and the files that entries share. Its packages have a separate lock:
// their TypeScript 6, which the bundler needs, has a `tsc` that would hide that of TypeScript 7.
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/**
 * @param entries declaration files of the entries
 * @param folder the folder that they are named in
 * @returns names in that folder, and code
 */
export async function bundleDeclarations(entries, folder) {
  const toName = (file) => file.slice(folder.length + 1, -".d.ts".length);
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((file) => [toName(file), file])),
    plugins: [dts()],
    external: (id) => !/^[./]/.test(id),
    onwarn: failOn,
  });
  const { output } = await bundle.generate({
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, "")}-[hash].d.ts`,
  });
  return output.map(({ fileName, code }) => ({ name: fileName, code }));
}

/** The module of the program exports nothing, and types that no entry exports are the parameters of internal classes. */
function failOn({ code, message }) {
  if (code !== "EMPTY_BUNDLE" && !message.includes("private shared type exports")) throw new Error(message);
}
