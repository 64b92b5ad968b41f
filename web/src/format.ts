// Values as people read them.

import type { Column, Value } from './api';

let offset = 0; // of the recording's time zone, in minutes
let days = false; // whether times need a day

// setZone sets the time zone of times, and what the recording covers: times of more than one day have a date.
export function setZone(minutes: number, start: number, end: number) {
  offset = minutes;
  days = date(start).slice(0, 10) !== date(end).slice(0, 10);
}

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

export function count(n: number): string { return Number.isInteger(n) ? whole.format(n) : short.format(n); }

// bytes returns an amount as the JDK writes it.
export function bytes(n: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let i = 0;
  for (; Math.abs(n) >= 1024 && i < units.length - 1; i++) n /= 1024;
  return n === 1 && i === 0 ? '1 byte' : (i === 0 ? count(n) : n.toFixed(1)) + ' ' + units[i];
}

// lasts returns a length of time that is given in nanoseconds.
export function lasts(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return count(ns) + ' ns';
  if (size < 1e6) return short.format(ns / 1e3) + ' µs';
  if (size < 1e9) return short.format(ns / 1e6) + ' ms';
  if (size < 60e9) return short.format(ns / 1e9) + ' s';
  const s = Math.round(ns / 1e9);
  const parts = [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60];
  return (parts[0] ? parts[0] + ' h ' : '') + parts[1] + ' min ' + parts[2] + ' s';
}

// clock returns a time of day, with the milliseconds.
export function clock(ms: number, digits = 3): string {
  const d = new Date(ms + offset * 60e3);
  return Number.isNaN(d.getTime()) ? '' : d.toISOString().slice(11, digits ? 20 + digits : 19);
}

// date returns a day and a time of day.
export function date(ms: number): string {
  const d = new Date(ms + offset * 60e3);
  return Number.isNaN(d.getTime()) ? '' : d.toISOString().slice(0, 19).replace('T', ' ');
}

// moment returns a time of day, with the day where that is not clear.
export function moment(ms: number): string { return (days ? date(ms).slice(0, 10) + ' ' : '') + clock(ms); }

// number returns a number with its unit.
export function number(n: number, c: Pick<Column, 'unit' | 'rate'> & { name?: string; title?: string }): string {
  const per = c.rate ? '/s' : '';
  if (isNone(n, c.unit)) return 'N/A';
  switch (c.unit) {
    case 'bytes': return bytes(n) + per;
    case 'bits': return count(n) + ' bits' + per;
    case 'fraction': return (100 * n).toFixed(2) + ' %';
    case 'hertz': return count(n) + ' Hz';
    case 'nanoseconds': return lasts(n);
    case 'address': return '0x' + n.toString(16);
  }
  return (c.name && isIdentifier(c.name, c.title || '') ? String(n) : count(n)) + per;
}

// isNone reports whether an amount or a length of time is -1 in the unit in which it was recorded: events say so where there is no
// limit, for example. Package table does the same.
function isNone(n: number, unit: string): boolean {
  return n === -1 && (unit === 'bytes' || unit === 'bits') || unit === 'nanoseconds' && [-1, -1e3, -1e6, -1e9].includes(n);
}

// isIdentifier reports whether the numbers of a column say which thing, and not how many or how much: they are written
// without commas.
function isIdentifier(name: string, title: string): boolean {
  return /(^|[._(])(id|pid|tid|port|spanid|traceid)\)*$/i.test(name) || /[a-z](Id|ID|Pid|PID|Port)\)*$/.test(name) || /(^| )(id|pid|port|identifier)$/i.test(title);
}

// text returns a value of a column.
export function text(v: Value, c: Pick<Column, 'kind' | 'unit' | 'rate'> & { name?: string; title?: string }): string {
  if (v === null) return '';
  if (Array.isArray(v)) return v.length ? String(v[0]) + (v.length > 1 ? ' …' : '') : '';
  if (typeof v === 'number') return c.kind === 'timestamp' ? moment(v) : number(v, c);
  return String(v);
}

// stateName returns what a state of threads is called.
export function stateName(state: string): string { return { io: 'I/O', native: 'in native code', paused: 'paused by the JVM' }[state] || state; }
