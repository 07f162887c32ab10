import type { IncomingHttpHeaders } from 'node:http';

const mostHeaders = 30;
const mostHeaderCharacters = 4 * 1024;
const mostBodyBytes = 2 * 1024;

/** The first headers of an answer, within the bounds. */
export function boundHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: [string, string][] = [];
  let characters = 0;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    characters += name.length + text.length;
    if (kept.length === mostHeaders || characters > mostHeaderCharacters) break;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}

/** The beginning of a body. */
export class BoundedBody {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** False once it is full: what follows is not read. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk.subarray(0, mostBodyBytes - this.#bytes));
    this.#bytes += chunk.length;
    return this.#bytes < mostBodyBytes;
  }

  /** Without half a character at its end, and without NUL, which PostgreSQL does not store. */
  text(): string {
    const isCut = this.#bytes >= mostBodyBytes;
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: isCut });
    return text.replaceAll('\0', '\uFFFD');
  }
}
