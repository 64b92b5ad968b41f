// Expanding: the script of a page, packed more tightly than by Deflate, because small pages are
// mostly script. Each bit is predicted by what followed the same bytes before, in several contexts
// whose predictions are mixed; an arithmetic decoder does the rest. pack_test.go packs, with the
// same arithmetic of doubles, which is exact everywhere.

// contexts are bytes before the one that is predicted: bit 0 stands for the last one.
const contexts = [0, 1, 3, 7, 15, 61, 5];

export function expand(bytes) {
  const n = contexts.length + 1; // the last context is the word so far
  const chances = new Float64Array(n << 18).fill(0.5);
  const counts = new Uint8Array(n << 18);
  const weights = new Float64Array(n << 8).fill(0.15);
  const chance = [];
  const evidence = []; // its inverse
  for (let k = 0, v = 1e-4; k < 4096; k++, v *= 1.0045) {
    chance[k] = v / (1 + v);
    while (evidence.length < chance[k] * 4096 - 0.5) evidence.push(k - 2048);
  }
  let at = 0;
  let low = 0;
  let high = 0xffffffff;
  let code = 0;
  while (at < 4) code = (code << 8 | bytes[at++]) >>> 0;
  const out = [];
  const hashes = [];
  const slots = [];
  let word = 0;
  for (;;) {
    contexts.forEach((mask, i) => {
      let hash = 0;
      for (let d = 1; mask; d++, mask >>= 1) {
        if (mask & 1) hash = mix(hash, out[out.length - d] | 0);
      }
      hashes[i] = hash;
    });
    hashes[n - 1] = word;
    let node = 1;
    while (node < 256) {
      let sum = 2048;
      for (let i = 0; i < n; i++) {
        const slot = slots[i] = (Math.imul(hashes[i] + node, 0x9e3779b1) >>> 14) + (i << 18);
        sum += weights[node * n + i] * evidence[chances[slot] * 4095 | 0];
      }
      const p = chance[Math.min(Math.max(sum, 0), 4095) | 0];
      const middle = low + Math.floor((high - low) * p);
      const bit = code <= middle ? 1 : 0;
      if (bit) high = middle;
      else low = middle + 1;
      for (; (low ^ high) >>> 24 === 0; code = (code << 8 | bytes[at++]) >>> 0) {
        low = low << 8 >>> 0;
        high = (high << 8 | 255) >>> 0;
      }
      for (let i = 0; i < n; i++) {
        const slot = slots[i];
        weights[node * n + i] += (bit - p) * 1e-5 * evidence[chances[slot] * 4095 | 0];
        chances[slot] += (bit - chances[slot]) / (counts[slot] + 1.1);
        if (counts[slot] < 4) counts[slot]++;
      }
      node = node * 2 + bit;
    }
    const byte = node & 255;
    if (byte === 0) return new TextDecoder().decode(new Uint8Array(out));
    out.push(byte);
    word = /[\w$]/.test(String.fromCharCode(byte)) ? mix(word, byte) : 0;
  }
}

function mix(hash, byte) {
  hash = Math.imul(hash + byte + 1, 0x2f0b4c47);
  return hash ^ hash >>> 15;
}
