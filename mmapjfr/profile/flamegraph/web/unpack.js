// Unpacking: the first byte of the data says how they are packed.

export async function unpack(id) {
  const bytes = window.loader.bytesOf(id);
  const data = bytes.subarray(1);
  if (bytes[0] === 1) return window.loader.expand(data);
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
