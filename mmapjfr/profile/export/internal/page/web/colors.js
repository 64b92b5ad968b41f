// Colours: of frames by kind, by package or by difference, for light and for dark pages.
import { split } from './names.js';

// byKind are hue, saturation and lightness by the numbers of FORMAT.md.
const byKind = [
  [220, 10, 74], [88, 34, 78], [138, 42, 66], [184, 44, 66], [64, 52, 70], [2, 66, 73],
  [46, 66, 66], [26, 76, 68], [220, 10, 76], [208, 58, 72], [268, 46, 76],
];

const shades = 6;

function shade(hue, saturation, lightness, n, dark) {
  const l = dark ? lightness * 0.56 - 4 + n * 1.3 : lightness + n * 1.6 - 3;
  return `hsl(${hue} ${dark ? saturation * 0.72 : saturation}% ${l.toFixed(1)}%)`;
}

function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}

// Palette returns the colours of nodes of a view. It remembers those of names.
export class Palette {
  constructor(names, mode, dark) {
    this.names = names;
    this.mode = mode;
    this.dark = dark;
    this.cache = new Map();
    this.ui = dark
      ? { text: '#eef1f4', strip: '#454b55', found: '#d267e8', foundText: '#16051a', root: '#333a44', outline: '#fff', page: '#15181d' }
      : { text: '#15191f', strip: '#c9ced6', found: '#d45ce8', foundText: '#1d0424', root: '#dfe3e9', outline: '#0b0d10', page: '#fff' };
  }

  of(view, i) {
    if (i === view.root) return this.ui.root;
    if (DIFFERENCE && this.mode === 'change' && view.old) return changeColor(view.now[i], view.old[i], this.dark);
    const key = view.name(i) * 16 + view.kind(i);
    let color = this.cache.get(key);
    if (!color) this.cache.set(key, color = this.make(this.names[view.name(i)], view.kind(i)));
    return color;
  }

  // ofKind is a colour of a kind of frames, for the legend.
  ofKind(kind) { return shade(...byKind[kind], 2, this.dark); }

  make(name, kind) {
    const n = hash(name) % shades;
    if (this.mode === 'package') {
      const [pack] = split(name, kind);
      if (pack !== '') {
        const h = hash(pack.split('.').slice(0, 3).join('.'));
        return shade(h % 360, 34 + (h >> 9) % 18, 68, n, this.dark);
      }
    }
    return shade(...(byKind[kind] || byKind[0]), n, this.dark);
  }
}

// changeColor is red for what has grown, and blue for what has shrunk.
export function changeColor(now, old, dark) {
  const d = (now - old) / Math.max(now, old, 1e-9);
  const size = Math.round(Math.abs(d) * 12) / 12;
  if (size < 0.02) return dark ? 'hsl(220 8% 34%)' : 'hsl(220 10% 86%)';
  const [hue, saturation] = d > 0 ? [d === 1 ? 340 : 12, 70] : [d === -1 ? 250 : 212, 64];
  return dark ? `hsl(${hue} ${14 + saturation * 0.5 * size}% ${33 + 9 * size}%)` : `hsl(${hue} ${saturation}% ${89 - 17 * size}%)`;
}
