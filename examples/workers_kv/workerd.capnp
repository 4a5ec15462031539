# Three instances of the server that share their keys and a KV namespace: two at one location, one at another. Started by
# main.ts; the README has it by hand.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "east1", worker = .atEast),
    (name = "east2", worker = .atEast),
    (name = "west", worker = .atWest),
    (name = "kv", worker = .kv),
  ],
  sockets = [
    (name = "east1", address = "127.0.0.1:8001", http = (), service = "east1"),
    (name = "east2", address = "127.0.0.1:8002", http = (), service = "east2"),
    (name = "west", address = "127.0.0.1:8003", http = (), service = "west"),
    (name = "kv", address = "127.0.0.1:8004", http = (), service = "kv"),
  ],
);

const atEast :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [
    (name = "TOOLWIRE_KEYS", fromEnvironment = "TOOLWIRE_KEYS"),
    (name = "SESSIONS", kvNamespace = (name = "kv", entrypoint = "east")),
  ],
);

const atWest :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [
    (name = "TOOLWIRE_KEYS", fromEnvironment = "TOOLWIRE_KEYS"),
    (name = "SESSIONS", kvNamespace = (name = "kv", entrypoint = "west")),
  ],
);

const kv :Workerd.Worker = (
  modules = [(name = "kv.js", esModule = embed "kv.js")],
  compatibilityDate = "2026-11-01",
);
