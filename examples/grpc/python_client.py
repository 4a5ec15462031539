"""grpcio, which knows nothing of Toolwire, and is not even given the .proto file: it asks the server, by reflection.

python_client.py <JSON of the task and the arguments> -> one line of JSON, what it has seen.
"""

import json
import sys

import grpc
from google.protobuf.json_format import MessageToDict

from stubs import Stubs


def visit(address, token, search, topic, too_much, wait_ms):
    with grpc.insecure_channel(address) as channel:
        library = Stubs(channel).service("mcplite.MCPLite")

        def call(name, arguments):
            response = library.CallTool({"name": name, "arguments": arguments})
            return MessageToDict(response.result)["content"]

        tools = [tool.name for tool in library.GetTools({}).tools]
        hits = call("search_documents", search)
        stream = library.CallToolStream({"name": "generate_report", "arguments": topic})
        # Only the last response of a stream has meta.
        report = [response.result["partial"] for response in stream if not response.HasField("meta")]
        analysis = call("redeem", {"promise": token, "wait_ms": wait_ms})
        try:
            refusal = str(call("search_documents", too_much))
        except grpc.RpcError as error:
            refusal = error.details()
        return {
            "tools": tools,
            "found": [hit["title"] for hit in hits],
            "report": report,
            "rows": analysis["row_count"],
            "refusal": refusal,
        }


print(json.dumps(visit(**json.loads(sys.argv[1]))))
