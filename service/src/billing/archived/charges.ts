import { placeOf, type Archive, type ArchivedEntry } from '../../archive/index.ts';
import { firstIdAt, instantOf, lastId } from '../../platform/ids.ts';
import { readBoth, type Lines, type Span } from './read-both.ts';

/** Of kelpie.leaving_entries in pounds: credits are of payouts that were returned, which stay. */
const leavingReasons = new Set(['charge.payout_fees', 'charge.network_fees']);
const chargedAccounts = new Set(['receivable', 'credit_due', 'accrued']);

/** What was posted in pounds in a span, from after a place on; only some reasons, where there are any. */
export async function readWithArchivedCharges<Result>(
  archive: Archive,
  partnerId: string,
  asked: { span: Span; reasons: readonly string[] | null; after: { transferId: string; line: number }; atMost: number },
  readHere: (lines: Lines) => Promise<Result>,
): Promise<Result> {
  const { span, reasons, after, atMost } = asked;
  // What is charged or credited besides stays in the database, and would be looked for in every block.
  if (reasons !== null && !reasons.some((reason) => leavingReasons.has(reason))) return readHere([]);
  const ids = { from: firstIdAt(span.from), before: firstIdAt(span.before) };
  // Entries of no wallet have no number, and so lie in the order of their transfers.
  const range = { from: placeOf({ number: 0, ...after }), to: placeOf({ number: 0, transferId: lastId, line: 99 }) };
  const isWanted = ({ account, reason, transferId, line }: ArchivedEntry): boolean =>
    chargedAccounts.has(account) &&
    !reason.startsWith('invoice.') &&
    (reasons === null || reasons.includes(reason)) &&
    transferId >= ids.from &&
    transferId < ids.before &&
    placeOf({ number: 0, transferId, line }) > range.from;
  return readBoth(
    archive,
    { from: after.transferId > ids.from ? instantOf(after.transferId) : span.from, before: span.before, atMost },
    {
      async *readMonth(month, days) {
        for (const day of days)
          for await (const entries of archive.readEntries(month, { partnerId, environment: 'live', day, ...range }))
            yield entries.filter(isWanted);
      },
      readHere,
    },
  );
}
