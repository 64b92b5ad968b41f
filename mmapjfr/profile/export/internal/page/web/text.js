// Text: the page holds bytes in elements that are no scripts, seven bits a character. A
// character above 127 stands for the one 128 less, which must not occur in pages.

export function bytesOf(id) {
  const text = document.getElementById(id).textContent;
  const bytes = new Uint8Array(Math.floor(text.length * 0.875));
  for (let i = 0, at = 0, bits = 0, n = 0; i < text.length; i++) {
    bits |= (text.charCodeAt(i) & 127) << n;
    n += 7;
    if (n > 7) {
      bytes[at++] = bits;
      bits >>= 8;
      n -= 8;
    }
  }
  return bytes;
}
