import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../', import.meta.url));
const sourceFolder = path.join(project, 'docs/partners');

/** The home page, whose lists are the navigation. */
export const home = 'README';

export interface Source {
  /** The last part of its address. */
  name: string;
  markdown: string;
}

export interface Group {
  title: string;
  pages: { name: string; title: string }[];
}

/** Links of a changelog to pages for partners lead there; a link to another file of the project is its text. */
function withOwnLinks(text: string): string {
  return text
    .replaceAll(/\]\((\.\.\/)?docs\/partners\/([^)]+)\)/g, ']($2)')
    .replaceAll(/\[([^\]]+)\]\((?!https?:|[\w-]+\.md)[^)]+\)/g, '$1')
    .replaceAll(/\[([^\]]+)\]\((CHANGELOG|README)\.md[^)]*\)/g, '$1');
}

/** What partners can notice of the changelog: operations are ours. */
export function partnersChangelog(text: string): string {
  const [, ...releases] = text.split(/^(?=## )/m);
  const kept = releases.map((release) =>
    release
      .split(/^(?=#### )/m)
      .filter((section) => !section.startsWith('#### Operations'))
      .join(''),
  );
  // One level lower: its page has a section for each changelog.
  return withOwnLinks(kept.join('')).replaceAll(/^(##+ )\[?([^\]\n]+)\]?/gm, '#$1$2');
}

/** Where a changelog stands in its page. */
const changelogMark = /<!-- (\S*CHANGELOG\.md) -->/g;

export function readSources(folder = sourceFolder): Source[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  return files.toSorted().map((file) => ({
    name: file.slice(0, -'.md'.length),
    markdown: readFileSync(path.join(folder, file), 'utf8').replaceAll(changelogMark, (_mark, changelog: string) =>
      partnersChangelog(readFileSync(path.join(project, changelog), 'utf8')),
    ),
  }));
}

/** The lists of the home page, in their order. */
export function navigationOf(homePage: string): Group[] {
  const [, ...groups] = homePage.split(/^## /m);
  return groups.map((text) => ({
    title: text.slice(0, text.indexOf('\n')).trim(),
    pages: Array.from(text.matchAll(/^- \[([^\]]+)\]\(([\w-]+)\.md\)/gm), ([, title = '', name = '']) => ({
      name,
      title,
    })),
  }));
}
