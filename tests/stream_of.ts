/** A stream of these chunks: not each runtime and its types have `ReadableStream.from`. */
export function streamOf<Chunk>(...chunks: readonly Chunk[]): ReadableStream<Chunk> {
  return new ReadableStream<Chunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
