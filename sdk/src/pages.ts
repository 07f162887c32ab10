import { withRequestId } from './request-id.ts';

/** One page of a list, the newest first. */
export interface Page<Item> {
  data: Item[];
  /** The `cursor` of the next page; undefined on the last. */
  next: string | undefined;
}

/** The cursor of the next page, from `Link: <…?cursor=…>; rel="next"`; undefined on the last page. */
export function nextCursor(headers: Headers): string | undefined {
  for (const [, address = '', parameters = ''] of (headers.get('link') ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?(?=[\s;,]|$)/i.test(parameters)) continue;
    // The address may lack its host: any will do, for only the cursor is taken from it.
    return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined;
  }
  return undefined;
}

export function pageOf<Item>(data: Item[], headers: Headers): Page<Item> {
  return withRequestId({ data, next: nextCursor(headers) }, headers);
}

/** One item after the other; a page is asked for when the one before it is used up. */
export async function* everyItem<Item>(
  page: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, next } = await page(cursor);
    // A cursor that leads to itself would never end.
    if (next !== undefined && next === cursor) throw new Error('The list does not go on after this page.');
    yield* data;
    cursor = next;
  } while (cursor !== undefined);
}
