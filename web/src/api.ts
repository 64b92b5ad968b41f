// What the page asks the server. openapi.json describes the answers.

import { chosen } from './state';

export type Value = boolean | number | string | string[] | null;
export interface Column { name: string; title: string; kind: string; unit: string; rate: boolean; left: boolean; values: Value[] }
// Answer says what could not be read for it.
export interface Answer { lost?: string[] }
export interface Table extends Answer { title: string; form: boolean; rows: number; more: boolean; notes?: string[]; before?: { events: number; from: number }; columns: Column[] }
export interface EventType { name: string; label: string; description: string; category: string[]; events: number; bytes: number; stack: boolean; duration: boolean }
export interface Recording extends Answer {
  name: string; files: { name: string; size: number; chunks: number }[]; start: number; end: number; zone: string; zoneOffset: number;
  events: number; bytes: number; types: EventType[]; kinds: { name: string; title: string; values: { name: string; unit: string }[] }[]; base?: string; live: boolean; notes?: string[];
}
export interface Events extends Table { total: number; offset: number; row: number; at: { file: number; offset: string }[] }

// Problem is an answer that says what is wrong.
export class Problem extends Error {
  constructor(text: string, readonly status: number, readonly line = 0, readonly character = 0) { super(text); }
}

let scope = new AbortController();

// leave ends all requests of the page that was shown: nobody wants them any more.
export function leave() { scope.abort(); scope = new AbortController(); }

type Parameters = Record<string, string | number | undefined>;

// link returns the address of an answer, for the chosen time and threads.
export function link(path: string, more: Parameters = {}, part = true): string {
  const q = part ? chosen() : new URLSearchParams();
  for (const [name, v] of Object.entries(more)) if (v !== undefined) q.set(name, String(v));
  return path + (q.size ? '?' + q : '');
}

// get returns an answer. It fails with a Problem, or with an AbortError once the page is left, unless it stays.
export async function get<T>(path: string, more: Parameters = {}, part = true, signal?: AbortSignal, stays = false): Promise<T> {
  const signals = [...(signal ? [signal] : []), ...(stays ? [] : [scope.signal])];
  const answer = await request(link(path, more, part), { signal: AbortSignal.any(signals) });
  const value = await answer.json() as T & Answer;
  if (value.lost?.some((n) => !lost.has(n))) {
    for (const n of value.lost) lost.add(n);
    tellLost([...lost]);
  }
  return value;
}

const lost = new Set<string>();
let tellLost: (notes: string[]) => void = () => {};

// onLost calls back with all that could not be read so far, when that is more than before.
export function onLost(f: (notes: string[]) => void) { tellLost = f; tellLost([...lost]); }

// send asks the server to change something.
export function send(path: string, more: Parameters): Promise<Response> { return request(link(path, more, false), { method: 'POST' }); }

async function request(address: string, how: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, how);
  } catch (e) {
    if (how.signal?.aborted) throw e;
    throw new Problem('mjfr does not respond. Start it again and open the URL it prints.', 0);
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let said = { error: text, line: 0, character: 0 };
  try { said = JSON.parse(text); } catch { /* a plain text */ }
  throw new Problem(said.error, answer.status, said.line, said.character);
}

// isOver reports whether an error only says that nobody wants the answer any more.
export function isOver(e: unknown): boolean { return e instanceof DOMException && e.name === 'AbortError'; }

// ask answers a statement.
export function ask(q: string, limit = 2000, part = true): Promise<Table> { return get<Table>('/api/query', { q, limit }, part); }
