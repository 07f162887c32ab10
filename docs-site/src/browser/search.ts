// The search: loaded when the field gets the focus, with the index in it.
import MiniSearch from 'minisearch';
import { searchOptions, type Found } from './search-options.ts';

/** Replaced by the index when the site is built. */
declare const SEARCH_INDEX: string;

const most = 8;
const excerptLength = 120;

const index = MiniSearch.loadJSON<Found>(SEARCH_INDEX, searchOptions);
const input = document.querySelector<HTMLInputElement>('.search input');
const list = document.querySelector<HTMLElement>('#results');

function excerptOf(text: string, terms: readonly string[]): string {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 30);
  const from = places.length === 0 ? 0 : start;
  return `${from > 0 ? '…' : ''}${text.slice(from, from + excerptLength)}…`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function resultFor(found: {
  id: unknown;
  terms: string[];
  title?: unknown;
  heading?: unknown;
  text?: unknown;
}): Element {
  const link = document.createElement('a');
  link.href = textOf(found.id);
  const name = document.createElement('strong');
  name.textContent = [textOf(found['title']), textOf(found['heading'])].filter((text) => text !== '').join(' · ');
  const excerpt = document.createElement('span');
  excerpt.textContent = excerptOf(textOf(found['text']), found.terms);
  link.append(name, excerpt);
  return link;
}

function show(): void {
  if (input === null || list === null) return;
  const query = input.value.trim();
  list.hidden = query === '';
  const found = index.search(query).slice(0, most);
  const none = document.createElement('p');
  none.textContent = `No page has “${query}”.`;
  list.replaceChildren(...(found.length > 0 ? found.map((result) => resultFor(result)) : [none]));
}

/** Up and down move between the field and the results. */
function move(event: KeyboardEvent): void {
  if (input === null || list === null) return;
  const stops = [input, ...list.querySelectorAll('a')];
  const place = stops.findIndex((stop) => stop === document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') {
    list.hidden = true;
    input.focus();
  }
  if (step !== undefined && place >= 0) {
    event.preventDefault();
    stops[(place + step + stops.length) % stops.length]?.focus();
  }
  if (event.key === 'Enter' && document.activeElement === input) list.querySelector('a')?.click();
}

input?.addEventListener('input', show);
input?.addEventListener('focus', show);
input?.parentElement?.addEventListener('keydown', move);
document.addEventListener('click', ({ target }) => {
  if (list !== null && target instanceof Node && input?.parentElement?.contains(target) !== true) list.hidden = true;
});
show();
