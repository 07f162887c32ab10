// npm run docs:build: the docs for partners, from docs/partners to files that the api serves at /docs.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { rolldown } from 'rolldown';
import { searchOptions, type Found } from './browser/search-options.ts';
import { render, type Rendered } from './markdown.ts';
import { home, navigationOf, readSources, type Group, type Source } from './pages.ts';
import { addressOf, pageHtml } from './template.ts';

const own = fileURLToPath(new URL('./', import.meta.url));
const target = path.join(own, '../dist');

/** Pages that the api has besides. */
const served = /^\/(docs\/(reference|llms\.txt)|status|dashboard\/|llms\.txt|v1\/openapi\.json)/;

type Pages = ReadonlyMap<string, Rendered>;

function resolveIn(names: ReadonlySet<string>, page: string) {
  return (link: string): string => {
    if (/^(https?|mailto):|^#/.test(link) || served.test(link)) return link;
    const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.+)?$/.exec(link) ?? [];
    if (!names.has(name)) throw new Error(`${page}.md: ${link} leads to no page of the site`);
    return addressOf(name) + anchor;
  };
}

function renderAll(sources: readonly Source[]): Pages {
  const names = new Set(sources.map(({ name }) => name));
  return new Map(sources.map(({ name, markdown }) => [name, render(markdown, resolveIn(names, name))]));
}

function searchIndex(pages: Pages): string {
  const search = new MiniSearch<Found>(searchOptions);
  for (const [name, { title, sections }] of pages)
    for (const { anchor, heading, text } of sections) {
      const url = addressOf(name) + (anchor === '' ? '' : `#${anchor}`);
      search.add({ id: url, title, heading, text });
    }
  return JSON.stringify(search);
}

/** A script that needs no other file. Its name changes with what is in it. */
async function bundle(file: string, define: Record<string, string>): Promise<string> {
  const build = await rolldown({ input: path.join(own, 'browser', file), platform: 'browser', transform: { define } });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}

interface SiteFile {
  name: string;
  text: string;
}

function asset(name: string, text: string): SiteFile {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 10);
  const { name: stem, ext } = path.parse(name);
  return { name: `assets/${stem}-${digest}${ext}`, text };
}

/** What programs read first: every page, with what it is about. https://llmstxt.org */
function llmsText(pages: Pages, groups: readonly Group[]): string {
  const sections = groups.map(({ title, pages: listed }) => {
    const lines = listed.map(
      (page) => `- [${page.title}](https://api.kelpie.example/docs/${page.name}.md): ${pages.get(page.name)?.summary}`,
    );
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  const { title, summary } = pages.get(home) ?? { title: '', summary: '' };
  return `# ${title}\n\n> ${summary}\n\nOpenAPI: https://api.kelpie.example/v1/openapi.json\n\n${sections.join('\n')}`;
}

/** Every page is listed on the home page, and every page that it lists exists. */
function checkNavigation(pages: Pages, groups: readonly Group[]): void {
  const listed = new Set(groups.flatMap((group) => group.pages.map(({ name }) => name)));
  const missing = [...pages.keys()].filter((name) => name !== home && !listed.has(name));
  if (missing.length > 0) throw new Error(`docs/partners/README.md does not list ${missing.join(', ')}`);
}

export async function buildSite(sources: readonly Source[]): Promise<SiteFile[]> {
  const pages = renderAll(sources);
  const navigation = navigationOf(sources.find(({ name }) => name === home)?.markdown ?? '');
  checkNavigation(pages, navigation);
  const style = asset('style.css', readFileSync(path.join(own, 'style.css'), 'utf8'));
  const script = asset('page.js', await bundle('page.ts', {}));
  const search = asset('search.js', await bundle('search.ts', { SEARCH_INDEX: JSON.stringify(searchIndex(pages)) }));
  const assets = { style: `/docs/${style.name}`, script: `/docs/${script.name}`, search: `/docs/${search.name}` };
  const files = sources.flatMap(({ name, markdown }) => {
    const page = pages.get(name);
    const file = name === home ? 'index' : name;
    return page === undefined
      ? []
      : [
          { name: `${file}.html`, text: pageHtml(name, page, { navigation, assets }) },
          { name: `${file}.md`, text: markdown },
        ];
  });
  return [...files, style, script, search, { name: 'llms.txt', text: llmsText(pages, navigation) }];
}

/** Replaced as a whole: an api that starts meanwhile sees the old site or the new one. */
function write(files: readonly SiteFile[]): void {
  const fresh = `${target}.${process.pid}`;
  for (const { name, text } of files) {
    const file = path.join(fresh, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

if (import.meta.main) write(await buildSite(readSources()));
