"""A server of FastMCP that the command line and the client call: over its pipes, or over HTTP with the argument http."""

import sys

from fastmcp import Context, FastMCP

server = FastMCP("notes")


@server.tool
def add(a: int, b: int = 0) -> int:
    """Add two numbers"""
    return a + b


@server.tool
def page(number: int | None = None) -> str:
    """Name the type of an argument"""
    return f"{number} {type(number).__name__}"


@server.tool
async def ask(context: Context) -> str:
    """Ask for a name"""
    answer = await context.elicit("Who are you?", response_type=str)
    return f"Hello, {answer.data}"


@server.tool
def untyped(name: str):
    """Answer without an output schema"""
    return f"Hello, {name}"


@server.resource("notes://today")
def today() -> str:
    return "Nothing yet"


@server.prompt
def greet(name: str) -> str:
    return f"Greet {name}"


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        server.run(transport="http", host="127.0.0.1", port=0, show_banner=False)
    else:
        server.run(show_banner=False)
