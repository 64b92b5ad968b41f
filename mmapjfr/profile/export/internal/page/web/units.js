// Units: numbers as people read them.

const times = [[3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const sizes = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];

export function number(n, unit) {
  const list = unit === 'nanoseconds' ? times : unit === 'bytes' ? sizes : null;
  if (!list) return Math.round(n).toLocaleString('en');
  const size = Math.abs(n);
  const [by, name] = list.find(([by]) => size >= by) || list[list.length - 1];
  const digits = by === 1 ? 0 : size / by < 10 ? 2 : size / by < 100 ? 1 : 0;
  return (n / by).toFixed(digits) + ' ' + name;
}

export function percent(n, of) {
  if (!of) return '–';
  const p = (100 * n) / of;
  return (p >= 99.995 || p === 0 ? p.toFixed(0) : p < 10 ? p.toFixed(2) : p.toFixed(1)) + ' %';
}

// signed is a number with its sign.
export function signed(n, unit) { return n > 0 ? '+' + number(n, unit) : n < 0 ? '−' + number(-n, unit) : '±0'; }

// change says how a number differs from an older one.
export function change(now, old) {
  if (now === old) return '±0 %';
  if (!old) return 'new';
  if (!now) return 'gone';
  const p = (100 * (now - old)) / old;
  return (p > 0 ? '+' : '−') + (Math.abs(p) >= 1000 ? '×' + (now / old).toFixed(0) : Math.abs(p).toFixed(Math.abs(p) < 10 ? 1 : 0) + ' %');
}
