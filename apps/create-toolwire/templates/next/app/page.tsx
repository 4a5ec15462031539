export default function Page() {
  return <p>The tools are at /mcp and /mcp-lite/v1</p>;
}
