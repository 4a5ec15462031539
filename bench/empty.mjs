// Does nothing: what a runtime's start costs by itself, for size.mjs.
