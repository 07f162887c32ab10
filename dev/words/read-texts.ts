// Finds what people read in our files, as Markdown that the word check can parse.
import { parseAst } from 'rolldown/parseAst';

/** Markdown whose lines come from other lines of the file. */
export interface Prose {
  markdown: string;
  /** The line in the file of each line of the Markdown, from 1 on. */
  lineOf: (markdownLine: number) => number;
}

interface Piece {
  text: string;
  line: number;
}

/** One paragraph per piece, so that a phrase never spans two of them. */
function proseFrom(pieces: readonly Piece[]): Prose {
  const paragraphs = pieces.map(({ text }) => text.replaceAll(/<\/?[a-z][^<>]*>|```|\s+/gi, ' ').trim());
  return {
    markdown: paragraphs.join('\n\n'),
    lineOf: (line) => pieces[Math.floor((line - 1) / 2)]?.line ?? 1,
  };
}

const sql = /^\s*(?:select|insert into|update \S+ set|delete from|with \w+|create|alter|drop|grant|truncate|lock)\b/;

/** A code, a path or a query is not prose. A single word is, where it begins like a label. */
function isProse(text: string): boolean {
  return (/[A-Za-z] /.test(text) || /^[A-Z][a-z]+$/.test(text)) && !sql.test(text);
}

/** The text of a node, if it has any. Values in a template are left out. */
function textOf(node: object): string | undefined {
  const type: unknown = Reflect.get(node, 'type');
  const value: unknown = Reflect.get(node, 'value');
  if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') return value;
  if (type !== 'TemplateLiteral') return undefined;
  const quasis: unknown = Reflect.get(node, 'quasis');
  if (!Array.isArray(quasis)) return undefined;
  return quasis.map((quasi: { value: { cooked: string | null } }) => quasi.value.cooked ?? '').join('…');
}

/** Module names and types are not texts. */
const skipped = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TSLiteralType', 'TSInterfaceDeclaration']);

function collect(node: unknown, found: { text: string; start: number }[]): void {
  if (Array.isArray(node)) {
    for (const one of node) collect(one, found);
    return;
  }
  if (typeof node !== 'object' || node === null || skipped.has(String(Reflect.get(node, 'type')))) return;
  const text = textOf(node);
  if (text !== undefined && isProse(text)) found.push({ text, start: Number(Reflect.get(node, 'start')) });
  for (const part of Object.values(node)) if (typeof part === 'object') collect(part, found);
}

/** The strings, templates and JSX texts of a TypeScript file. Comments are left out. */
export function readSource(file: string, source: string): Prose {
  const found: { text: string; start: number }[] = [];
  collect(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file), found);
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  return proseFrom(found.map(({ text, start }) => ({ text, line: lineAt(start) })));
}

const openApiTexts = new Set(['summary', 'description', 'title']);

function collectOpenApi(node: unknown, found: string[]): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, part] of Object.entries(node)) {
    if (typeof part === 'string' && openApiTexts.has(name)) found.push(part);
    else collectOpenApi(part, found);
  }
}

/** The summaries and descriptions of an OpenAPI document. */
export function readOpenApi(source: string): Prose {
  const found: string[] = [];
  collectOpenApi(JSON.parse(source), found);
  const lineOf = (text: string): number => source.slice(0, source.indexOf(JSON.stringify(text))).split('\n').length;
  return proseFrom(found.map((text) => ({ text, line: lineOf(text) })));
}

export function readMarkdown(source: string): Prose {
  return { markdown: source, lineOf: (line) => line };
}
