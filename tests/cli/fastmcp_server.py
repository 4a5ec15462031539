"""A server of FastMCP that the command line calls."""

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


@server.resource("notes://today")
def today() -> str:
    return "Nothing yet"


@server.prompt
def greet(name: str) -> str:
    return f"Greet {name}"


if __name__ == "__main__":
    server.run(show_banner=False)
