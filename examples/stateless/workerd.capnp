# Two instances of the tool server that share nothing but their keys, and the farm. Started by main.ts; the README has it by hand.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "east", worker = .render),
    (name = "west", worker = .render),
    (name = "farm", worker = .farm),
  ],
  sockets = [
    (name = "east", address = "127.0.0.1:8001", http = (), service = "east"),
    (name = "west", address = "127.0.0.1:8002", http = (), service = "west"),
  ],
);

const render :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [
    (name = "TOOLWIRE_KEYS", fromEnvironment = "TOOLWIRE_KEYS"),
    (name = "FARM", service = "farm"),
  ],
);

const farm :Workerd.Worker = (
  modules = [(name = "farm.js", esModule = embed "farm.js")],
  compatibilityDate = "2026-11-01",
);
