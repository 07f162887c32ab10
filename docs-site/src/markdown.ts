import { Marked, type Tokens } from 'marked';
import { escaped, highlight } from './highlight.ts';

interface Section {
  /** Empty for what stands above the first heading. */
  anchor: string;
  heading: string;
  /** Its words, for the search. */
  text: string;
}

export interface Rendered {
  html: string;
  title: string;
  /** The first paragraph, without marks. */
  summary: string;
  sections: Section[];
  /** Headings of the second level, for the list beside the page. */
  outline: { anchor: string; heading: string }[];
}

/** What a link to a heading ends with: the same as on GitHub, so that one link works in both places. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Text as people read it: without marks, links and entities. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Tokens of extensions could have anything. */
function textIn(token: object): string {
  const text: unknown = Reflect.get(token, 'text');
  return typeof text === 'string' ? text : '';
}

const captions: Readonly<Record<string, string>> = { sh: 'Shell', ts: 'TypeScript', python: 'Python', json: 'JSON' };

function codeBlock({ text, lang = '' }: Tokens.Code): string {
  const [language = '', mode = ''] = lang.split(' ');
  const isFile = mode.includes('.');
  const caption = mode === 'output' ? 'Output' : isFile ? mode : captions[language];
  const label = escaped(caption ?? 'Code');
  const shown = caption === undefined ? '' : `<figcaption>${label}</figcaption>`;
  // What scrolls can be reached by the keyboard.
  return `<figure class="code">${shown}<pre tabindex="0" aria-label="${label}"><code>${highlight(text, language)}</code></pre></figure>\n`;
}

/** Throws for a link that would lead nowhere on the site. */
export type ResolveLink = (target: string) => string;

export function render(markdown: string, resolveLink: ResolveLink): Rendered {
  const sections: Section[] = [{ anchor: '', heading: '', text: '' }];
  const outline: Rendered['outline'] = [];
  let title = '';
  let place = 0;
  let summary = '';
  const note = (text: string): void => {
    const last = sections.at(-1);
    if (last !== undefined) last.text = `${last.text} ${plain(text)}`.trim();
  };
  // Found before anything is rendered, and used in the same order.
  const anchors: string[] = [];
  const uses = new Map<string, number>();
  const startSection = (depth: number, heading: string): void => {
    const wanted = anchorOf(heading);
    const count = uses.get(wanted) ?? 0;
    uses.set(wanted, count + 1);
    // A second heading of the same words gets a number, as on GitHub.
    const anchor = count === 0 ? wanted : `${wanted}-${count}`;
    anchors.push(anchor);
    if (depth === 1) title = heading;
    else sections.push({ anchor, heading, text: '' });
    if (depth === 2) outline.push({ anchor, heading });
  };
  const marked = new Marked({
    walkTokens(token) {
      const { type } = token;
      if (type === 'heading') startSection(Number(Reflect.get(token, 'depth')), plain(textIn(token)));
      if (type === 'paragraph') summary ||= plain(textIn(token));
      if (['paragraph', 'code', 'table', 'list_item'].includes(type))
        note(type === 'list_item' ? textIn(token) : token.raw);
    },
    renderer: {
      code: codeBlock,
      heading({ tokens, depth }) {
        const anchor = anchors[place] ?? '';
        place += 1;
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>\n`;
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(resolveLink(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      html() {
        throw new Error('pages are Markdown only, without HTML');
      },
    },
  });
  const body = marked.parse(markdown, { async: false });
  let tables = 0;
  const html = body
    .replaceAll('<table>', () => {
      tables += 1;
      return `<div class="table" tabindex="0" role="region" aria-label="Table ${tables}"><table>`;
    })
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th>', '<th scope="col">');
  return { html, title, summary, sections, outline };
}
