import { nilId } from './ids.ts';

/**
 * Every item of a list that is read page by page, in the order of its keys. Each page begins after the last key of the one
 * before, so what is added or removed meanwhile neither repeats nor hides another.
 */
export async function* readInPages<Item>(
  readPage: (afterKey: string) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
  firstKey = nilId,
): AsyncGenerator<Item> {
  let afterKey = firstKey;
  for (;;) {
    const page = await readPage(afterKey);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    afterKey = keyOf(last);
  }
}
