import type { InvoiceItem } from '@kelpie/sdk';
import { useState } from 'react';
import { Link } from 'react-router';
import { useInvoiceItems } from '../../data/reads.ts';
import { formatCount, formatMicroPounds, formatPounds } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';

const pageSize = 25;

const columns = [
  { title: 'Item' },
  { title: 'Date', className: 'max-sm:hidden' },
  { title: 'Payout amount', isAmount: true, className: 'max-sm:hidden' },
  { title: 'Charge', isAmount: true },
];

const effects: Readonly<Record<InvoiceItem['effect'], string>> = {
  charge: 'Charge',
  taken_back: 'Reversed',
  credit: 'Credit',
  carried_over: 'Carried over from last month',
};

interface LineItemsProps {
  invoiceId: string;
  kind: InvoiceItem['kind'];
  count: number;
}

/** The payouts and charges behind a line, a page at a time. */
export function LineItems({ invoiceId, kind, count }: LineItemsProps) {
  // Within the page, not in its address: a line that is open is no other page.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const items = useInvoiceItems(invoiceId, {
    kind,
    limit: pageSize,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const { data, error } = items;
  if (data === undefined) {
    return error === null ? (
      <Rows count={Math.min(count, 6)} />
    ) : (
      <Problem error={error} title="The items on this line could not be loaded." onRetry={() => void items.refetch()} />
    );
  }
  const { next } = data;
  const first = cursors.length * pageSize + 1;
  return (
    <div className="grid gap-2">
      <Table label="Invoice items" columns={columns} isStale={items.isPlaceholderData}>
        {data.data.map((item) => (
          <ItemRow key={item.id} item={item} />
        ))}
      </Table>
      {count > pageSize && (
        <div className="flex items-center justify-between gap-2">
          <p className="figures text-small text-muted">
            {formatCount(first)} to {formatCount(first + data.data.length - 1)} of {formatCount(count)}
          </p>
          <div className="flex gap-2">
            <Button disabled={cursor === undefined} onClick={() => setCursors(cursors.slice(0, -1))}>
              <Icon name="left" />
              Previous
            </Button>
            <Button disabled={next === undefined} onClick={() => next !== undefined && setCursors([...cursors, next])}>
              Next
              <Icon name="right" />
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

function ItemRow({ item }: { item: InvoiceItem }) {
  const { payout_id: payoutId, reference, effect, payout_amount_gbp: paid } = item;
  const label = effect === 'charge' ? (reference ?? 'Charge') : effects[effect];
  return (
    <Row isLink={payoutId !== null}>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            {payoutId === null ? (
              label
            ) : (
              // Only live payouts are charged, so the payout is in live whichever environment shows the invoice.
              <Link
                to={`/live/payouts/${payoutId}`}
                className="font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2"
              >
                {reference ?? 'Payout without a reference'}
              </Link>
            )}
          </span>
          {payoutId !== null && effect !== 'charge' && <span className="text-small text-muted">{effects[effect]}</span>}
          <span className="text-small text-muted sm:hidden">
            <Timestamp at={item.at} to="date" />
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden text-muted">
        <Timestamp at={item.at} />
      </Cell>
      <Cell isAmount className="max-sm:hidden text-muted">
        {paid === null ? '' : formatPounds(paid)}
      </Cell>
      <Cell isAmount>
        {effect === 'taken_back' && '−'}
        {formatMicroPounds(item.amount_micro_gbp)}
      </Cell>
    </Row>
  );
}
