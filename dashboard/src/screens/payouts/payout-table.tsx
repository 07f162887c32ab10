import type { Page, Payout } from '@kelpie/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../data/environment.ts';
import { useIsWalletEmpty } from '../../data/reads.ts';
import { useCanPay } from '../../data/session.ts';
import { formatPounds } from '../../format/money.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';

const columns = [
  { title: 'Recipient' },
  { title: 'Status', className: 'max-sm:hidden' },
  { title: 'Reference', className: 'max-lg:hidden' },
  { title: 'Created', className: 'max-sm:hidden' },
  { title: 'Amount', isAmount: true, className: 'max-md:pr-0' },
  { title: 'ID', className: 'max-md:hidden w-28 pl-6' },
];
/** Where there is less room than the screen is wide. */
const shortColumns = columns.filter(({ title }) => title !== 'Reference' && title !== 'ID');

interface PayoutTableProps {
  payouts: UseQueryResult<Page<Payout>>;
  label: string;
  /** Shown when the list is empty. */
  empty?: ReactNode;
  /** Without references and ids. */
  isShort?: boolean;
}

export function PayoutTable({ payouts, label, empty, isShort = false }: PayoutTableProps) {
  const { data, error, isPlaceholderData, refetch } = payouts;
  if (data === undefined) {
    return error === null ? (
      <Rows />
    ) : (
      <Problem error={error} title="Payouts could not be loaded." onRetry={() => void refetch()} />
    );
  }
  if (data.data.length === 0) return empty ?? <NoPayouts />;
  return (
    <Table label={label} columns={isShort ? shortColumns : columns} isStale={isPlaceholderData}>
      {data.data.map((payout) => (
        <PayoutRow key={payout.id} payout={payout} isShort={isShort} />
      ))}
    </Table>
  );
}

function PayoutRow({ payout, isShort }: { payout: Payout; isShort: boolean }) {
  const address = useAddress();
  const { id, recipient, status, reference, bank_reference: bankReference, amount_gbp: amount } = payout;
  return (
    <Row isLink>
      <Cell className="max-w-0 w-full sm:w-auto sm:max-w-56">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            <RowLink to={address(`/payouts/${id}`)}>
              <bdi>{recipient.name ?? 'Unknown'}</bdi>
            </RowLink>
            <span className="figures text-muted max-sm:hidden"> •••• {recipient.account_last4}</span>
          </span>
          <span className="text-small sm:hidden">
            <Status status={status} />
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <Status status={status} />
      </Cell>
      {!isShort && <Cell className="max-lg:hidden max-w-48 truncate text-muted">{reference ?? bankReference}</Cell>}
      <Cell className="max-sm:hidden text-muted">
        <Timestamp at={payout.created_at} />
      </Cell>
      <Cell isAmount className="max-md:pr-0">
        <div className="grid gap-0.5">
          <span className="font-medium">{formatPounds(amount)}</span>
          <span className="text-small text-muted sm:hidden">
            <Timestamp at={payout.created_at} />
          </span>
        </div>
      </Cell>
      {!isShort && (
        <Cell className="max-md:hidden pl-6">
          <ShortId id={id} what="payout ID" />
        </Cell>
      )}
    </Row>
  );
}

function NoPayouts() {
  const address = useAddress();
  const canPay = useCanPay();
  if (useIsWalletEmpty()) {
    return (
      <Empty title="No payouts yet" action={<ButtonLink to={address('/deposits')}>Top up wallet</ButtonLink>}>
        Your wallet is empty. Top it up to send your first payout.
      </Empty>
    );
  }
  return (
    <Empty
      title="No payouts yet"
      action={
        canPay ? (
          <ButtonLink to={address('/payouts/new')}>Send first payout</ButtonLink>
        ) : (
          <ButtonLink to={address('/developers')}>View API examples</ButtonLink>
        )
      }
    >
      Payouts appear here, with their status as it changes.
    </Empty>
  );
}
