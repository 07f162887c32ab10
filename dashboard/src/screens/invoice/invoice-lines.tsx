import type { Invoice } from '@kelpie/sdk';
import { useId, useState } from 'react';
import { useSession } from '../../data/session.ts';
import { isSubtracted, lineLabel } from '../../format/invoice-labels.ts';
import { formatCount, formatPounds } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { LineItems } from './line-items.tsx';

type InvoiceLine = Invoice['lines'][number];

/** Each line opens to the payouts and charges behind it; all of them make the total. */
export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  const isClosed = useSession().account.status === 'closed';
  return (
    <div>
      <ul className="border-t border-line">
        {invoice.lines.map((line) => (
          <LineEntry key={line.kind} invoiceId={invoice.id} line={line} />
        ))}
      </ul>
      <dl>
        {invoice.carried_over_gbp !== '0.00' && (
          <Sum name={isClosed ? 'Credit left over' : 'Credit for the next invoice'} amount={invoice.carried_over_gbp} />
        )}
        <Sum name="Total" amount={invoice.total_gbp} isTotal />
      </dl>
    </div>
  );
}

function Sum({ name, amount, isTotal = false }: { name: string; amount: string; isTotal?: boolean }) {
  return (
    <div
      className={classNames(
        'flex min-h-11 items-center justify-between gap-4',
        isTotal ? 'font-semibold' : 'text-muted',
      )}
    >
      <dt>{name}</dt>
      <dd className="figures">{formatPounds(amount)}</dd>
    </div>
  );
}

/** What its description says besides what the line is called. */
function detailOf({ kind, description }: InvoiceLine): string {
  const name = `${lineLabel(kind)}, `;
  return description.startsWith(name) ? formatMonth(description.slice(name.length)) : description;
}

function LineEntry({ invoiceId, line }: { invoiceId: string; line: InvoiceLine }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-11 w-full items-center gap-3 py-2 text-left hover:bg-hover"
      >
        <span className={classNames('text-muted', isOpen && 'rotate-90')}>
          <Icon name="right" size={13} />
        </span>
        <span className="grid min-w-0 flex-1">
          <span className="font-medium">{lineLabel(line.kind)}</span>
          <span className="text-small text-muted">{detailOf(line)}</span>
        </span>
        {line.quantity > 1 && (
          <span className="figures text-muted max-sm:hidden">
            {formatCount(line.quantity)} × {formatPounds(line.unit_price_gbp)}
          </span>
        )}
        <span className="figures w-28 text-right font-medium">
          {isSubtracted(line.kind) && '−'}
          {formatPounds(line.amount_gbp)}
        </span>
      </button>
      <div id={id} hidden={!isOpen} className="pb-4 sm:pl-6">
        {isOpen && <LineItems invoiceId={invoiceId} kind={line.kind} count={line.items} />}
      </div>
    </li>
  );
}
