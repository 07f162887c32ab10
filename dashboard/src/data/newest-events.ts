import type { Event, EventFilters, Page } from '@kelpie/sdk';

type Numbered = Pick<Event, 'sequence'>;
type ListEvents<Item> = (filters: EventFilters) => Promise<Page<Item>>;

interface Wanted {
  /** How many, at most. */
  size: number;
  /** A sequence that is known to exist; 0 if none is. */
  known: number;
}

/**
 * The newest events, in order. The API lists events from a sequence onwards and does not say which is the last, so it is
 * searched for: in growing steps until there is nothing, then by halves. Sequences have no gaps. It takes one request for
 * an account with few events, or once a sequence near the end is known, and about thirty for ten million events.
 */
export async function readNewest<Item extends Numbered>(
  list: ListEvents<Item>,
  { size, known }: Wanted,
): Promise<Item[]> {
  const pageFrom = async (sequence: number) => list({ after: Math.max(0, sequence - size), limit: 2 * size });
  const page = await pageFrom(known);
  const reached = page.data.at(-1)?.sequence;
  if (page.next === undefined || reached === undefined) return page.data.slice(-size);
  const near = await findNearEnd(list, { from: reached, within: size });
  return (await pageFrom(near)).data.slice(-size);
}

/** A sequence that exists, with at most `within` after it. */
async function findNearEnd<Item extends Numbered>(
  list: ListEvents<Item>,
  { from, within }: { from: number; within: number },
): Promise<number> {
  const firstAfter = async (sequence: number): Promise<number | undefined> =>
    (await list({ after: sequence, limit: 1 })).data[0]?.sequence;
  let found = from;
  let step = within;
  for (let next = await firstAfter(found + step); next !== undefined; next = await firstAfter(found + step)) {
    found = next;
    step *= 4;
  }
  let end = found + step;
  while (end - found > within) {
    const middle = found + Math.floor((end - found) / 2);
    const next = await firstAfter(middle);
    if (next === undefined) end = middle;
    else found = next;
  }
  return found;
}
