"""Stubs without generated code: what a server has is asked of the server itself, by gRPC server reflection.

Needs grpcio and protobuf, and neither a .proto file nor a compiler for it.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.json_format import ParseDict

REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"

_STRING = descriptor_pb2.FieldDescriptorProto.TYPE_STRING
_BYTES = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES
_MESSAGE = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE


class Stubs:
    """The services and messages of the server that a channel leads to."""

    def __init__(self, channel):
        self._channel = channel
        self._pool = descriptor_pool.DescriptorPool()
        self._known = set()
        self._ask = _reflection(channel)

    def message(self, name):
        """The class of a message, by its full name."""
        self._load(name)
        return _class_of(self._pool, self._pool.FindMessageTypeByName(name))

    def service(self, name):
        """A service, by its full name: its methods take a dict, and what a call of gRPC takes."""
        self._load(name)
        descriptor = self._pool.FindServiceByName(name)
        definition = descriptor_pb2.ServiceDescriptorProto()
        descriptor.CopyToProto(definition)
        methods = {
            method.name: self._method(descriptor.methods_by_name[method.name], method) for method in definition.method
        }
        return type(descriptor.name, (), {name: staticmethod(method) for name, method in methods.items()})

    def _method(self, descriptor, definition):
        request = _class_of(self._pool, descriptor.input_type)
        response = _class_of(self._pool, descriptor.output_type)
        kinds = ("stream" if definition.client_streaming else "unary", "stream" if definition.server_streaming else "unary")
        call = getattr(self._channel, "_".join(kinds))(
            f"/{descriptor.containing_service.full_name}/{descriptor.name}",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )
        if definition.client_streaming:
            return lambda messages, **options: call((ParseDict(one, request()) for one in messages), **options)
        return lambda message, **options: call(ParseDict(message, request()), **options)

    def _load(self, symbol):
        """Reads the file with a symbol, and the files that it imports. The pool needs imports first, whatever their order is."""
        answer = [descriptor_pb2.FileDescriptorProto.FromString(file) for file in self._ask(symbol)]
        files = {file.name: file for file in answer}

        def add(name):
            if name in self._known or name not in files:
                return
            self._known.add(name)
            for dependency in files[name].dependency:
                add(dependency)
            self._pool.Add(files[name])

        for name in files:
            add(name)


def _reflection(channel):
    """The one question of reflection that the rest follows from; its messages are written here by hand."""
    file = descriptor_pb2.FileDescriptorProto(name="ask.proto", package="ask", syntax="proto3")
    request = file.message_type.add(name="Request")
    request.field.add(name="symbol", number=4, type=_STRING, label=1)
    files = file.message_type.add(name="Files")
    files.field.add(name="files", number=1, type=_BYTES, label=3)
    response = file.message_type.add(name="Response")
    response.field.add(name="files", number=4, type=_MESSAGE, type_name=".ask.Files", label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    Request, Response = (
        _class_of(pool, pool.FindMessageTypeByName(f"ask.{name}")) for name in ("Request", "Response")
    )
    ask = channel.stream_stream(
        REFLECTION, request_serializer=Request.SerializeToString, response_deserializer=Response.FromString
    )
    return lambda symbol: next(ask(iter([Request(symbol=symbol)]))).files.files


def _class_of(pool, descriptor):
    # Its old name is gone from new versions, its new one is not in old ones.
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)
