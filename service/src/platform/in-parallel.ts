/**
 * Works through a list, so many items at a time. Where one fails, those that were begun are waited for, no other is, and what
 * it threw first is thrown.
 */
export async function inParallel<Item>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const failures: unknown[] = [];
  const takeTurns = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  const turns = Array.from({ length: atOnce }, async () =>
    takeTurns().catch((error: unknown) => void failures.push(error)),
  );
  await Promise.all(turns);
  await iterator.return?.();
  if (failures.length > 0) throw failures[0];
}
