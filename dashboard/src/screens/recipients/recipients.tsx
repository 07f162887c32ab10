import type { RecipientSummary } from '@kelpie/sdk';
import { Link } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useOfferPayAgain } from '../../data/pay-again.ts';
import { useRecipients } from '../../data/reads.ts';
import { useCanPay } from '../../data/session.ts';
import { formatCount, formatPounds } from '../../format/money.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';

const columns = [
  { title: 'Recipient' },
  { title: 'Completed payouts', isAmount: true, className: 'max-sm:hidden' },
  { title: 'Last payout', className: 'max-sm:hidden pl-8' },
  { title: 'Total paid', isAmount: true },
  { title: 'Pay again', isHidden: true },
];

export function Screen() {
  const recipients = useRecipients();
  const { data, error } = recipients;
  return (
    <Page
      title="Recipients"
      lead="Everyone you paid in the last 12 months. We show only the last four digits of an account number."
    >
      {error !== null && data === undefined && (
        <Problem error={error} title="Recipients could not be loaded." onRetry={() => void recipients.refetch()} />
      )}
      {recipients.isPending && <Rows />}
      {data?.length === 0 && <NoRecipients />}
      {data !== undefined && data.length > 0 && (
        <Table label="Recipients" columns={columns}>
          {data.map((recipient) => (
            <RecipientRow
              key={`${recipient.name} ${recipient.account_last4} ${recipient.last_paid_at}`}
              recipient={recipient}
            />
          ))}
        </Table>
      )}
    </Page>
  );
}

function RecipientRow({ recipient }: { recipient: RecipientSummary }) {
  const address = useAddress();
  const canPay = useCanPay();
  const offerPayAgain = useOfferPayAgain();
  const { name, account_last4: last4, payouts, paid_gbp: paid, last_paid_at: lastPaidAt } = recipient;
  return (
    <Row isLink>
      <Cell className="max-w-0 w-full sm:w-auto sm:max-w-64">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            <RowLink to={address(`/payouts?search=${last4 ?? ''}`)}>
              <bdi>{name ?? 'Unknown'}</bdi>
            </RowLink>
            <span className="figures text-muted max-sm:hidden"> •••• {last4}</span>
          </span>
          <span className="figures text-small text-muted sm:hidden">
            •••• {last4} · <Timestamp at={lastPaidAt} to="date" />
          </span>
        </div>
      </Cell>
      <Cell isAmount className="max-sm:hidden">
        {formatCount(payouts)}
      </Cell>
      <Cell className="max-sm:hidden pl-8 text-muted">
        <Timestamp at={lastPaidAt} />
      </Cell>
      <Cell isAmount className="font-medium">
        {formatPounds(paid)}
      </Cell>
      <Cell className="text-right">
        {canPay && name !== null && last4 !== null && (
          <Link
            to={address('/payouts/new')}
            // Names stay out of addresses and of the browser's history.
            onClick={() => offerPayAgain({ name, accountLast4: last4 })}
            aria-label={`Pay again: ${name}`}
            className="relative z-10 -my-1 -mr-2 inline-flex h-8 items-center rounded-md px-2 font-medium whitespace-nowrap text-tide hover:bg-tide-wash"
          >
            Pay again
          </Link>
        )}
      </Cell>
    </Row>
  );
}

function NoRecipients() {
  const address = useAddress();
  const canPay = useCanPay();
  return (
    <Empty
      title="No recipients yet"
      action={canPay && <ButtonLink to={address('/payouts/new')}>Send first payout</ButtonLink>}
    >
      People and businesses that you pay appear here, with the total for each.
    </Empty>
  );
}
