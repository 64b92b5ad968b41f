// What the page asks the server. openapi.json describes the answers.

import { params } from './state';

export type Value = boolean | number | string | string[] | null;
export interface Column { name: string; title: string; kind: string; unit: string; rate: boolean; left: boolean; values: Value[] }
export interface Table { title: string; form: boolean; rows: number; more: boolean; notes?: string[]; columns: Column[] }
export interface EventType { name: string; label: string; description: string; category: string[]; events: number; bytes: number; stack: boolean; duration: boolean }
export interface Recording {
  name: string; files: { name: string; size: number; chunks: number }[]; start: number; end: number; zone: string; zoneOffset: number;
  events: number; bytes: number; types: EventType[]; kinds: { name: string; title: string; values: { name: string; unit: string }[] }[]; base?: string; notes?: string[];
}
export interface Events extends Table { total: number; offset: number; at: { file: number; offset: string }[] }

// Problem is an answer that says what is wrong.
export class Problem extends Error {
  constructor(text: string, readonly status: number, readonly line = 0, readonly character = 0) { super(text); }
}

let scope = new AbortController();

// leave ends all requests of the page that was shown: nobody wants them any more.
export function leave() { scope.abort(); scope = new AbortController(); }

type Parameters = Record<string, string | number | undefined>;

// link returns the address of an answer, for the chosen time and threads.
export function link(path: string, more: Parameters = {}, chosen = true): string {
  const q = new URLSearchParams();
  const now = params();
  if (chosen) for (const name of ['from', 'to', 'thread']) for (const v of now.getAll(name)) q.append(name, v);
  for (const [name, v] of Object.entries(more)) if (v !== undefined) q.set(name, String(v));
  return path + (q.size ? '?' + q : '');
}

// get returns an answer. It fails with a Problem, or with an AbortError once the page is left.
export async function get<T>(path: string, more: Parameters = {}, chosen = true, signal?: AbortSignal): Promise<T> {
  const all = signal ? AbortSignal.any([signal, scope.signal]) : scope.signal;
  let answer: Response;
  try {
    answer = await fetch(link(path, more, chosen), { signal: all });
  } catch (e) {
    if (all.aborted) throw e;
    throw new Problem('mjfr does not answer: it has ended, or the connection is lost. Start it again, and open the address that it prints.', 0);
  }
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text) as T;
  let said = { error: text, line: 0, character: 0 };
  try { said = JSON.parse(text); } catch { /* a plain text */ }
  throw new Problem(said.error, answer.status, said.line, said.character);
}

// isOver reports whether an error only says that nobody wants the answer any more.
export function isOver(e: unknown): boolean { return e instanceof DOMException && e.name === 'AbortError'; }

// ask answers a statement.
export function ask(q: string, limit = 2000): Promise<Table> { return get<Table>('/api/query', { q, limit }); }
