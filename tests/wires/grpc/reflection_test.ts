/** Server reflection by the protocol's messages: which files are sent, and in which order. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../../src/entries/serve.ts";
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "../../../src/wires/grpc/messages/gen/grpc/reflection/v1/reflection_pb.ts";
import { createFixture } from "../fixture.ts";
import { frame, framesOf } from "./frames.ts";
import { openSession, send2 } from "./http2_calls.ts";

/** A request for files. */
interface FileRequest {
  readonly case: "fileContainingSymbol" | "fileByFilename";
  readonly value: string;
}

/** Sends one reflection request to each version; returns the files of the answers, in order. */
async function filesFor(
  requests: readonly FileRequest[],
): Promise<readonly (readonly FileDescriptorProto[])[]> {
  const listening = await serve(createFixture().server, { port: 0, graceMs: 0, grpc: { port: 0 } });
  const session = await openSession(String(listening.grpcUrl));
  try {
    return await Promise.all(["v1", "v1alpha"].flatMap((version) =>
      requests.map(async (messageRequest) => {
        const request = create(ServerReflectionRequestSchema, { host: "", messageRequest });
        const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
        const { grpc, body } = await send2(session, {
          path,
          pieces: [frame(toBinary(ServerReflectionRequestSchema, request))],
        });
        strictEqual(grpc, 0);
        const [answer] = framesOf(body);
        const { messageResponse } = fromBinary(ServerReflectionResponseSchema, answer?.data as Uint8Array);
        ok(messageResponse.case === "fileDescriptorResponse");
        return messageResponse.value.fileDescriptorProto.map((file) => fromBinary(FileDescriptorProtoSchema, file));
      })
    ));
  } finally {
    session.close();
    await listening.close();
  }
}

test("the file that contains the symbol comes first, then what it imports", async () => {
  const symbols = {
    "mcplite.MCPLite": "mcplite.proto",
    "mcplite.MCPLite.CallTool": "mcplite.proto",
    "google.rpc.Status": "google/rpc/status.proto",
    "google.rpc.BadRequest": "google/rpc/error_details.proto",
    "grpc.health.v1.Health": "grpc/health/v1/health.proto",
  };
  const answers = await filesFor(
    Object.keys(symbols).map((value) => ({ case: "fileContainingSymbol" as const, value })),
  );
  deepStrictEqual(
    answers.map(([first]) => first?.name),
    [...Object.values(symbols), ...Object.values(symbols)],
  );
});

test(
  "the file of that name comes first, with every import once, after the file that imports it",
  async () => {
    const names = ["mcplite.proto", "google/rpc/status.proto", "google/protobuf/struct.proto"];
    const answers = await filesFor(names.map((value) => ({ case: "fileByFilename" as const, value })));
    deepStrictEqual(answers.map(([first]) => first?.name), [...names, ...names]);
    for (const files of answers) {
      const sent = files.map(({ name }) => name);
      deepStrictEqual(sent.length, new Set(sent).size);
      for (const { name, dependency } of files) {
        for (const one of dependency) ok(sent.indexOf(one) > sent.indexOf(name), `${one} after ${name}`);
      }
    }
  },
);
