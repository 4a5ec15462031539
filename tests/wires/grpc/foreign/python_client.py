"""grpcio with reflection only: calls the servers in its arguments, and prints its findings of each.

python_client.py <JSON of the amounts> <JSON of {grpc, roomy}> … -> one line of JSON a server.
"""

import json
import re
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from google.protobuf.json_format import MessageToDict

sys.path.insert(0, str(Path(__file__).parents[4] / "examples/grpc"))
sys.dont_write_bytecode = True
from stubs import Stubs  # noqa: E402

AMOUNTS = json.loads(sys.argv[1])
TEXT = "x" * AMOUNTS["large"]


def main():
    for server in sys.argv[2:]:
        try:
            seen = Visit(json.loads(server)).seen()
        except Exception:
            seen = traceback.format_exc()
        print(json.dumps(seen), flush=True)


class Visit:
    def __init__(self, addresses):
        self.usual, self.roomy = (addresses[name].removeprefix("http://") for name in ("grpc", "roomy"))

    def seen(self):
        with grpc.insecure_channel(self.usual) as channel:
            self.stubs = Stubs(channel)
            self.tools = self.stubs.service("mcplite.MCPLite")
            self.types = self.stubs.message("mcplite.ResponseMeta").DESCRIPTOR.fields_by_name["response_type"].enum_type
            return {
                "discovery": self.discover(),
                "call": self.call_version(),
                "stream": [self.summary(one) for one in self.tools.CallToolStream(request("count", {"to": 3}))],
                "values": content(self.call("mirror", AMOUNTS["values"])),
                "failure": self.summary(self.call("locked")),
                "promise": self.promise_and_redeem(),
                "unknownTool": self.error(lambda: self.call("nope")),
                "wrongArguments": self.error(lambda: self.call("add", {"a": "one", "b": 2})),
                "refusal": self.error(lambda: self.call("refuse")),
                "pastDeadline": self.error(
                    lambda: self.tools.CallTool(request("watch", {"id": "python"}, {"deadline_ms": 20}))
                ),
                "deadline": self.meet_deadline(),
                "cancel": self.cancel(),
                "large": self.send_large(),
                "gzip": self.zip(),
                "crowd": self.meet(),
                "metadata": self.show_metadata(),
                "health": self.check_health(),
                "reflection": {version: self.list_services(version) for version in ("v1", "v1alpha")},
            }

    def call(self, name, args=None, **options):
        return self.tools.CallTool(request(name, args), **options)

    def summary(self, response):
        meta = {"type": self.types.values_by_number[response.meta.response_type].name}
        return {**MessageToDict(response.result), **(meta if response.HasField("meta") else {})}

    def error(self, work):
        try:
            return f"answered {work()}"
        except grpc.RpcError as error:
            trailers = dict(error.trailing_metadata())
            status = self.stubs.message("google.rpc.Status").FromString(trailers["grpc-status-details-bin"])
            details = {detail.TypeName(): detail.value for detail in status.details}
            info = self.stubs.message("google.rpc.ErrorInfo").FromString(details["google.rpc.ErrorInfo"])
            bad = self.stubs.message("google.rpc.BadRequest").FromString(details.get("google.rpc.BadRequest", b""))
            return {
                "code": error.code().name,
                "message": error.details(),
                "reason": info.reason,
                "domain": info.domain,
                "fields": [violation.field for violation in bad.field_violations],
            }

    def discover(self):
        listed = MessageToDict(self.tools.GetTools({}))["tools"]
        add = next(tool for tool in listed if tool["name"] == "add")
        return {
            "prompts": MessageToDict(self.tools.GetPrompts({}))["prompts"],
            "names": [tool["name"] for tool in listed],
            "add": {"type": add["type"], "schema": add["inputSchema"]},
        }

    def call_version(self):
        added = self.call("add", {"a": 1, "b": 2})
        return {**self.summary(added), "version": added.meta.server_version}

    def promise_and_redeem(self):
        begun = self.call("slow", {"n": 21})
        ended = self.call("redeem", {"promise": begun.meta.promise_token, "wait_ms": 20_000})
        return {"begun": self.summary(begun)["type"], "ended": self.summary(ended)}

    def meet_deadline(self):
        code = code_of(lambda: self.call("watch", {"id": "python deadline"}, timeout=0.3))
        why = content(self.call("aborted", {"id": "python deadline"}))
        return {"code": code, "isAborted": isinstance(why, str)}

    def cancel(self):
        watching = self.tools.CallToolStream(request("watch", {"id": "python cancel"}))
        heard = self.summary(next(watching))
        watching.cancel()
        why = content(self.call("aborted", {"id": "python cancel"}))
        return {"heard": heard, "code": watching.code().name, "abortedBy": why}

    def send_large(self):
        limit = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        with grpc.insecure_channel(self.roomy) as strict, grpc.insecure_channel(self.roomy, options=limit) as raised:
            strict_tools, raised_tools = (Stubs(channel).service("mcplite.MCPLite") for channel in (strict, raised))
            return {
                "there": content(strict_tools.CallTool(request("measure", {"text": TEXT}))),
                "back": len(content(raised_tools.CallTool(request("echo", {"text": TEXT})))),
                "tooLargeForServer": self.error(lambda: self.call("echo", {"text": TEXT})),
                "tooLargeForClient": code_of(lambda: strict_tools.CallTool(request("echo", {"text": TEXT}))),
            }

    def zip(self):
        gzip = {"compression": grpc.Compression.Gzip}
        text = "x" * AMOUNTS["zipped"]
        return {
            "encoding": content(self.call("metadata", {"long": text}, **gzip))["encoding"],
            "length": content(self.call("measure", {"text": text}, **gzip)),
            "tooLarge": code_of(lambda: self.call("measure", {"text": TEXT}, **gzip)),
        }

    def meet(self):
        crowd = AMOUNTS["crowd"]

        def wait(_):
            *_, last = self.tools.CallToolStream(request("meet", {"id": "python", "crowd": crowd}))
            return content(last)

        with ThreadPoolExecutor(crowd) as pool:
            return len(set(pool.map(wait, range(crowd))))

    def show_metadata(self):
        metadata = [("x-text", "seen"), ("x-bytes-bin", bytes([0, 255, 16]))]
        shown = content(self.call("metadata", metadata=metadata, timeout=10))
        return {
            "text": shown["text"],
            "bytes": shown["bytes"],
            "isTimed": re.fullmatch(r"\d+[munMSH]", shown["timeout"] or "") is not None,
        }

    def check_health(self):
        health = self.stubs.service("grpc.health.v1.Health")

        def status(response):
            return MessageToDict(response).get("status", "UNKNOWN")

        def watch(service):
            watching = health.Watch({"service": service})
            first = status(next(watching))
            watching.cancel()
            return first

        return {
            "server": status(health.Check({})),
            "service": status(health.Check({"service": "mcplite.MCPLite"})),
            "unknown": code_of(lambda: health.Check({"service": "nobody"})),
            "watched": watch(""),
            "watchedUnknown": watch("nobody"),
        }

    def list_services(self, version):
        service = self.stubs.service(f"grpc.reflection.{version}.ServerReflection")
        answers = service.ServerReflectionInfo(iter([{"listServices": ""}]))
        return sorted(one.name for answer in answers for one in answer.list_services_response.service)


def request(name, args=None, meta=None):
    return {"name": name, "arguments": args or {}, **({} if meta is None else {"meta": meta})}


def content(response):
    return MessageToDict(response.result).get("content")


def code_of(work):
    try:
        return f"answered {work()}"[:100]
    except grpc.RpcError as error:
        return error.code().name


main()
