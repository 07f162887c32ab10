/** Marks comments, texts, numbers and words of the language, by classes: the pages' policy allows no style in the page. */

const words: Readonly<Record<string, string>> = {
  ts: 'as async await break case catch class const continue default delete else export extends finally for from function if import in instanceof interface let new null of return satisfies switch throw true false try type typeof undefined void while yield',
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield',
  sh: 'case do done elif else esac exit export fi for function if in kill npm npx node python3 curl then timeout while',
  json: 'true false null',
};

const comments: Readonly<Record<string, string>> = {
  ts: String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`,
  python: String.raw`#[^\n]*`,
  sh: String.raw`(?<=^|\s)#[^\n]*`,
};

const texts = String.raw`"""[^]*?"""|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|${'`'}(?:\\[^]|[^${'`'}\\])*${'`'}`;
const numbers = String.raw`\b\d[\d_]*(?:\.\d+)?\b`;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');
}

function patternFor(language: string): RegExp | undefined {
  const known = words[language];
  if (known === undefined) return undefined;
  const groups = [
    ...(comments[language] === undefined ? [] : [`(?<comment>${comments[language]})`]),
    `(?<text>${texts})`,
    `(?<word>\\b(?:${known.replaceAll(' ', '|')})\\b(?![-.:=]))`,
    `(?<number>${numbers})`,
  ];
  return new RegExp(groups.join('|'), 'gm');
}

const nameOf: Readonly<Record<string, string>> = { bash: 'sh', js: 'ts', typescript: 'ts', py: 'python' };

export function highlight(code: string, language: string): string {
  const pattern = patternFor(nameOf[language] ?? language);
  if (pattern === undefined) return escaped(code);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? '';
    html += `${escaped(code.slice(end, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escaped(code.slice(end));
}
