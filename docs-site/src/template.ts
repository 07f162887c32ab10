import { escaped } from './highlight.ts';
import type { Rendered } from './markdown.ts';
import { home, type Group } from './pages.ts';

/** The same as on the dashboard: a path in a square of 32. */
const mark =
  'M3.5 23c4.9 0 6.3-3.9 8.3-8.5C13.9 9.700 16.500 5.500 21 5.500c3.500 0 6 2.500 6 5.300 0 2.200-1.700 3.700-3.800 3.700-3 0-5.200 2.300-5.200 5.300 0 2.700 2.200 4.700 5.200 4.700 2.200 0 4-.7 5.500-1.700';

interface Assets {
  style: string;
  script: string;
  search: string;
}

interface Frame {
  navigation: readonly Group[];
  assets: Assets;
}

export function addressOf(name: string): string {
  return name === home ? '/docs' : `/docs/${name}`;
}

function navigationHtml(groups: readonly Group[], current: string): string {
  const item = (name: string, title: string): string =>
    `<li><a href="${addressOf(name)}"${name === current ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
  return groups
    .filter(({ pages }) => pages.length > 0)
    .map(
      ({ title, pages }) =>
        `<h2>${escaped(title)}</h2><ul>${pages.map((page) => item(page.name, page.title)).join('')}</ul>`,
    )
    .join('\n');
}

function outlineHtml({ outline }: Rendered): string {
  if (outline.length < 2) return '';
  const items = outline.map(({ anchor, heading }) => `<li><a href="#${anchor}">${escaped(heading)}</a></li>`);
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function neighbourHtml(page: Group['pages'][number] | undefined, rel: 'prev' | 'next'): string {
  if (page === undefined) return '<span></span>';
  const word = rel === 'prev' ? 'Previous' : 'Next';
  return `<a rel="${rel}" href="${addressOf(page.name)}"><small>${word}</small>${escaped(page.title)}</a>`;
}

/** The pages before and after it, in the order of the navigation. */
function neighboursHtml(groups: readonly Group[], current: string): string {
  const all = groups.flatMap(({ pages }) => pages);
  const place = all.findIndex(({ name }) => name === current);
  if (place < 0) return '';
  return `<nav class="neighbours" aria-label="Previous and next page">${neighbourHtml(all[place - 1], 'prev')}${neighbourHtml(all[place + 1], 'next')}</nav>`;
}

const links = [
  ['/docs/reference', 'API reference'],
  ['/status', 'Status'],
  ['/dashboard/', 'Dashboard'],
] as const;

/** Plain HTML. Without its scripts, only the search and the buttons to copy are missing. */
export function pageHtml(name: string, page: Rendered, { navigation, assets }: Frame): string {
  const title = name === home ? 'Kelpie docs' : `${page.title} · Kelpie docs`;
  const markdown = name === home ? '/docs/index.md' : `/docs/${name}.md`;
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(page.summary)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/favicon.svg" type="image/svg+xml">
<link rel="preload" href="/docs/fonts/inter.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assets.style}">
<link rel="alternate" type="text/markdown" href="${markdown}">
<script src="${assets.script}" data-search="${assets.search}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="home" href="/docs"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="${mark}"/></svg>Kelpie <span>docs</span></a>
<div class="search" role="search" hidden>
<input type="search" placeholder="Search" aria-label="Search the docs" autocomplete="off" spellcheck="false" aria-controls="results">
<kbd aria-hidden="true">/</kbd>
<div id="results" class="results" hidden></div>
</div>
<nav class="links" aria-label="Elsewhere">${links.map(([href, text]) => `<a href="${href}">${text}</a>`).join('')}</nav>
</header>
<div class="frame">
<details class="menu"><summary>Menu</summary><nav aria-label="Pages">${navigationHtml(navigation, name)}</nav></details>
<nav class="side" aria-label="Docs">${navigationHtml(navigation, name)}</nav>
<main id="content" tabindex="-1">
<article>
${page.html}</article>
${neighboursHtml(navigation, name)}
<footer><a href="${markdown}">This page as Markdown</a><a href="/docs/llms.txt">llms.txt</a></footer>
</main>
${outlineHtml(page)}
</div>
</body>
</html>
`;
}
