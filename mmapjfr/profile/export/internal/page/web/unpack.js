// Unpacking: the page holds its script and its data by Deflate, in elements that are no scripts.
import { bytesOf } from './text.js';

export async function unpack(id) {
  const stream = new Blob([bytesOf(id)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
