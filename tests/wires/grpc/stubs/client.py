"""Calls the typed service with generated stubs, and prints what it got as one line of JSON: client.py <folder> <address>."""

import json
import sys

import grpc
from google.protobuf.struct_pb2 import Struct

sys.path.insert(0, sys.argv[1])
import docs_pb2 as docs  # noqa: E402
import docs_pb2_grpc  # noqa: E402


def error_of(call):
    try:
        call()
        return "no error"
    except grpc.RpcError as error:
        return [error.code().name, error.details()]


channel = grpc.insecure_channel(sys.argv[2])
tools = docs_pb2_grpc.ToolsStub(channel)
user = tools.FindUser(docs.FindUserInput(id=7, tags=["a", "b"], at=docs.FindUserInput.At(x=-1)))
assert isinstance(user.id, int) and user.HasField("best_friend") is False
meta = Struct()
meta.update({"promise": True})
begun = tools.Render(docs.RenderInput(name="b"), metadata=[("mcplite-meta-bin", meta.SerializeToString())])
redeemed = tools.RedeemRender(docs.RedeemInput(promise=begun.promise.token, wait_ms=10_000))
print(json.dumps({
    "user": [user.id, user.user_name, list(user.tags), dict(user.counts)],
    "stream": [[one.WhichOneof("outcome"), one.partial.at or one.output.result] for one in tools.Count(docs.CountInput(to=2))],
    "begun": begun.WhichOneof("outcome"),
    "redeemed": redeemed.output.url,
    "locked": error_of(lambda: tools.Locked(docs.LockedInput())),
    "invalid": error_of(lambda: tools.FindUser(docs.FindUserInput()))[0],
}))
