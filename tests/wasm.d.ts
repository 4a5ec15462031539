/** Modules of WebAssembly, as Workers import them. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
