# npx esbuild worker.ts --bundle --format=esm --outfile=worker.js && npx workerd serve workerd.capnp
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "hello", worker = .hello)],
  sockets = [(name = "http", address = "127.0.0.1:8000", http = (), service = "hello")],
);

const hello :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
);
