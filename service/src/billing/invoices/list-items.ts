import { createHash } from 'node:crypto';
import type { Archive } from '../../archive/index.ts';
import type { MicroGbp, Pence } from '../../money/amounts.ts';
import { microGbpPerPenny } from '../../money/fees.ts';
import type { NameOldPayouts } from '../../payouts/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { idFor, instantOf, lastId, nilId } from '../../platform/ids.ts';
import { readWithArchivedCharges } from '../archived/charges.ts';
import { kindOfReason, reasonsOfKind, type Invoice, type LineKind } from './invoice.ts';
import { listCharges, type ChargedEntry, type Place } from './store.ts';

/** What is behind a line: a charge, what took one back, a credit, or the credit that was left over before. */
export interface Item {
  /** The same whenever the item is listed. */
  id: string;
  at: Date;
  kind: LineKind;
  effect: 'charge' | 'taken_back' | 'credit' | 'carried_over';
  payoutId: string | null;
  reference: string | null;
  payoutAmount: Pence | null;
  /** To the millionth of a pound: network fees are less than a penny. */
  amount: MicroGbp;
}

/** An id for an entry of the ledger, which has none of its own. */
function itemIdOf(at: Date, entry: string): string {
  return idFor(at, createHash('sha256').update(entry).digest());
}

function itemFrom(entry: ChargedEntry): Item {
  const kind = kindOfReason(entry.reason);
  const { amount, payoutId, reference, payoutAmount } = entry;
  const size = amount < 0n ? -amount : amount;
  const at = instantOf(entry.transferId);
  // A charge is a debit, a credit is none; each is taken back by its opposite.
  const isTakenBack = kind === 'credit' ? amount > 0n : amount < 0n;
  const effect = isTakenBack ? 'taken_back' : kind === 'credit' ? 'credit' : 'charge';
  return {
    id: itemIdOf(at, placeText(entry)),
    at,
    kind,
    effect,
    payoutId,
    reference,
    payoutAmount,
    // The ledger has network fees in millionths of a pound, and everything else in pence.
    amount: kind === 'network_fees' ? size : size * microGbpPerPenny,
  };
}

interface Asked {
  kind: LineKind | null;
  /** Where the page begins; null for the first. */
  after: Place | null;
  limit: number;
}

const fromTheStart: Place = { transferId: nilId, line: 0 };

export interface ItemDeps {
  calls: SingleCalls;
  archive: Archive;
  nameOldPayouts: NameOldPayouts;
}

/** Payouts that have left the database are named all the same. */
async function withOldPayouts(
  { nameOldPayouts }: ItemDeps,
  partnerId: string,
  entries: readonly ChargedEntry[],
): Promise<ChargedEntry[]> {
  const nameless = entries.filter(({ payoutId }) => payoutId === null);
  const named = await nameOldPayouts(
    { partnerId, environment: 'live' },
    nameless.map(({ causeId }) => causeId),
  );
  return entries.map((entry) => {
    const payout = entry.payoutId === null ? named.get(entry.causeId) : undefined;
    return payout === undefined
      ? entry
      : { ...entry, payoutId: payout.id, reference: payout.reference, payoutAmount: payout.amount };
  });
}

/** The items of an invoice in the order in which they were posted, a page at a time; those of one line, or all. */
export async function listItems(
  deps: ItemDeps,
  partnerId: string,
  invoice: Invoice,
  { kind, after, limit }: Asked,
): Promise<{ items: Item[]; next: Place | null }> {
  const isCarriedShown = after === null && invoice.carriedIn > 0n && (kind === null || kind === 'credit');
  const carried = isCarriedShown ? [carriedItem(invoice)] : [];
  const room = limit - carried.length;
  const asked = {
    span: { from: invoice.beginsAt, before: invoice.endsAt },
    reasons: kind === null ? null : reasonsOfKind(kind),
    after: after ?? fromTheStart,
    // One more than is shown says whether there are more.
    atMost: room + 1,
  };
  const charges = await readWithArchivedCharges(deps.archive, partnerId, asked, async (lines) =>
    listCharges(deps.calls, partnerId, asked, lines),
  );
  const entries = await withOldPayouts(deps, partnerId, charges);
  const shown = entries.slice(0, room);
  const last = shown.at(-1);
  const isMore = entries.length > room;
  const next = isMore ? (last === undefined ? fromTheStart : { transferId: last.transferId, line: last.line }) : null;
  return { items: [...carried, ...shown.map(itemFrom)], next };
}

/** As many at a time as one look at the database gives quickly, and as few as a process can hold for many callers. */
const itemsAtOnce = 1_000;

/** All items of an invoice, or of one of its lines, some at a time. */
export async function* walkItems(
  deps: ItemDeps,
  partnerId: string,
  invoice: Invoice,
  kind: LineKind | null,
): AsyncGenerator<Item[]> {
  let after: Place | null = null;
  do {
    const asked: Asked = { kind, after, limit: itemsAtOnce };
    const page: Awaited<ReturnType<typeof listItems>> = await listItems(deps, partnerId, invoice, asked);
    yield page.items;
    after = page.next;
  } while (after !== null);
}

/** What the invoice before left over. */
function carriedItem({ id, beginsAt: at, carriedIn }: Invoice): Item {
  return {
    id: itemIdOf(at, `${id}.carried_over`),
    at,
    kind: 'credit',
    effect: 'carried_over',
    payoutId: null,
    reference: null,
    payoutAmount: null,
    amount: carriedIn * microGbpPerPenny,
  };
}

const placeForm = /^([0-9a-f-]{36})\.(\d{1,2})$/;

/** A place as it stands in an address. */
export function placeText({ transferId, line }: Place): string {
  return `${transferId}.${line}`;
}

export function placeFrom(text: string): Place {
  const [, transferId = lastId, line = '0'] = placeForm.exec(text.toLowerCase()) ?? [];
  return { transferId, line: Number(line) };
}
