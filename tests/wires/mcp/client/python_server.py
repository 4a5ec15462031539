"""A server of the official SDK for Python, over its pipes."""

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("official")


class Found(BaseModel):
    result: str


@server.tool()
def page(number: int | None = None) -> str:
    """Name the type of an argument"""
    return f"{number} {type(number).__name__}"


@server.tool()
def numbers() -> list[int]:
    """List numbers"""
    return [1, 2]


@server.tool()
def find() -> Found:
    """Answer with an object whose only member is named result"""
    return Found(result="found")


@server.tool()
def untyped(name: str):
    """Answer without an output schema"""
    return f"Hello, {name}"


if __name__ == "__main__":
    server.run()
