import type { Kelpie } from '../../index.ts';

/**
 * The number of the newest event, 0 without any. The feed is read forward only, so this searches: twice as far each time,
 * then by halves. Some 40 short reads for a million events.
 */
export async function searchLast(isAnyAfter: (sequence: number) => Promise<boolean>): Promise<number> {
  let below = -1;
  let above = 0;
  while (await isAnyAfter(above)) {
    below = above;
    above = above === 0 ? 1 : above * 2;
  }
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (await isAnyAfter(middle)) below = middle;
    else above = middle;
  }
  return above;
}

/** Where the feed ends now. */
export async function findLastSequence(kelpie: Pick<Kelpie, 'events'>): Promise<number> {
  return searchLast(async (after) => (await kelpie.events.list({ after, limit: 1 })).data.length > 0);
}
