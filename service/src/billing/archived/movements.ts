import { placeOf, type Archive } from '../../archive/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { lastId, nilId } from '../../platform/ids.ts';
import { dayMs, readBoth, type Lines } from './read-both.ts';

/** Movements of a wallet from one number to before another, of a month and the neighbourhood in which they can lie. */
export async function readWithArchivedMovements<Result>(
  archive: Archive,
  of: PartnerContext,
  { beganAt, endedAt, from, before }: { beganAt: Date; endedAt: Date; from: bigint; before: bigint },
  readHere: (lines: Lines) => Promise<Result>,
): Promise<Result> {
  const numbers = { from: Number(from), to: Number(before) - 1 };
  const range = {
    from: placeOf({ number: numbers.from, transferId: nilId, line: 0 }),
    to: placeOf({ number: numbers.to, transferId: lastId, line: 99 }),
  };
  const span = {
    from: new Date(beganAt.getTime() - dayMs),
    before: new Date(endedAt.getTime() + dayMs),
    atMost: numbers.to - numbers.from + 1,
  };
  return readBoth(archive, span, {
    async *readMonth(month, days) {
      const wanted = (await archive.readNumbers(month, of)).filter(
        ({ day, lowest, highest }) => days.includes(day) && lowest <= numbers.to && highest >= numbers.from,
      );
      for (const { day } of wanted) yield* archive.readEntries(month, { ...of, day, ...range });
    },
    readHere,
  });
}
