import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInPages } from './read-in-pages.ts';

async function readAll(keys: readonly string[], pageSize: number): Promise<{ items: string[]; asked: string[] }> {
  const asked: string[] = [];
  const readPage = async (afterKey: string): Promise<string[]> => {
    asked.push(afterKey);
    return keys.filter((key) => key > afterKey).slice(0, pageSize);
  };
  const items: string[] = [];
  for await (const item of readInPages(readPage, (key) => key, '')) items.push(item);
  return { items, asked };
}

test('every item comes once, in order, whatever the size of a page', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  for (const size of [1, 2, 5, 9]) assert.deepEqual((await readAll(keys, size)).items, keys);
});

test('a page is asked for after the last item of the one before, until one is empty', async () => {
  assert.deepEqual((await readAll(['a', 'b', 'c'], 2)).asked, ['', 'b', 'c']);
  assert.deepEqual((await readAll([], 2)).asked, ['']);
});
