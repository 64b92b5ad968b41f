// Expanding: the script of a page and small data, packed more tightly than by Deflate, because small
// pages are mostly script. Each bit is predicted by what followed the same bytes before, in several contexts.
// Two mixers weigh these predictions, one by the bits of the byte so far, one by the byte before; an
// arithmetic decoder does the rest. pack.go packs, with the same arithmetic of doubles, which is
// exact everywhere.

// contexts are bytes before the one that is predicted: bit 0 stands for the last one.
const contexts = [0, 1, 3, 7, 14, 2, 27, 113];

const half = 1 << 31; // so that 0 in the table is a chance of a half

export function expand(bytes) {
  const n = contexts.length + 1; // the last context is the word so far
  const out = new Uint8Array(bytes[0] | bytes[1] << 8 | bytes[2] << 16);
  const bits = out.length > 512 ? 19 : 14; // of the numbers of slots
  const table = new Uint32Array((n << bits) + 16); // chances, and in the last three bits how often they were met
  const weights = new Float64Array(n << 9).fill(0.1);
  const chance = []; // plain lists take the fewest bytes of a page
  const evidence = []; // its inverse
  for (let k = 0, i = 0, v = 1e-4; k < 4096; k++, v *= 1.0045) {
    chance[k] = v / (1 + v);
    while (i < chance[k] * 4096 - 0.5) evidence[i++] = k - 2048;
  }
  const mixed = (sum) => chance[Math.min(Math.max(sum + 2048, 0), 4095) | 0];
  let at = 3;
  let low = 0;
  let high = 0xffffffff;
  let code = 0;
  while (at < 7) code = (code << 8 | bytes[at++]) >>> 0;
  const hashes = [];
  const bases = [];
  const found = []; // evidence in each context
  let word = 0;
  for (let k = 0; k < out.length; k++) {
    contexts.forEach((mask, i) => {
      let hash = 0;
      for (let d = 1; mask; d++, mask >>= 1) {
        if (mask & 1) hash = mix(hash, out[k - d] | 0);
      }
      hashes[i] = hash;
    });
    hashes[n - 1] = word;
    const two = (256 | out[k - 1]) * n;
    let node = 1;
    let leaf = 16; // node in half a byte, whose slots lie side by side
    while (node < 256) {
      if (leaf > 15) {
        for (let i = 0; i < n; i++) bases[i] = (Math.imul(hashes[i] + node, 0x9e3779b1) >>> 32 - bits) + (i << bits);
        leaf = 1;
      }
      const one = node * n;
      let sum = 0;
      let sum2 = 0;
      for (let i = 0; i < n; i++) {
        found[i] = evidence[(table[bases[i] + leaf] ^ half) >>> 20];
        sum += weights[one + i] * found[i];
        sum2 += weights[two + i] * found[i];
      }
      const p = mixed((sum + sum2) / 2);
      const middle = low + Math.floor((high - low) * p);
      const bit = code <= middle ? 1 : 0;
      if (bit) high = middle;
      else low = middle + 1;
      for (; (low ^ high) >>> 24 === 0; code = (code << 8 | bytes[at++]) >>> 0) {
        low = low << 8 >>> 0;
        high = (high << 8 | 255) >>> 0;
      }
      const step = (bit - mixed(sum)) * 1.7e-5;
      const step2 = (bit - mixed(sum2)) * 1.7e-5;
      for (let i = 0; i < n; i++) {
        weights[one + i] += step * found[i];
        weights[two + i] += step2 * found[i];
        const slot = bases[i] + leaf;
        const value = table[slot] ^ half;
        const count = value & 7;
        const old = value >>> 3;
        table[slot] = (old + Math.trunc((bit * 0x1fffffff - old) / (count + 1.02))) * 8 + Math.min(count + 1, 3) ^ half;
      }
      node = node * 2 + bit;
      leaf = leaf * 2 + bit;
    }
    out[k] = node;
    word = /[\w$]/.test(String.fromCharCode(out[k])) ? mix(word, out[k]) : 0;
  }
  return out;
}

function mix(hash, byte) {
  hash = Math.imul(hash + byte + 1, 0x2f0b4c47);
  return hash ^ hash >>> 15;
}
