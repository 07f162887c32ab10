import type { Movement, Statement } from '@kelpie/sdk';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useStatement } from '../../data/reads.ts';
import { formatCount, formatExactUsdc, formatMovement } from '../../format/money.ts';
import { movementLabel } from '../../format/movement-labels.ts';
import { monthsUpTo, formatMonth } from '../../format/time.ts';
import { buttonClassName } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Empty } from '../../ui/empty.tsx';
import { FileLink } from '../../ui/file-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';

const monthsShown = 24;
const pageSize = 50;

const columns = [
  { title: 'Movement' },
  { title: 'Time', className: 'max-sm:hidden' },
  { title: 'Amount (USDC)', isAmount: true, className: 'max-md:pr-0' },
  { title: 'Balance (USDC)', isAmount: true, className: 'max-md:hidden max-lg:pr-0' },
  { title: 'No.', isAmount: true, className: 'max-lg:hidden w-20' },
];

/** One month of the wallet: opening balance, every movement, closing balance. The month is in the address. */
export function Screen() {
  const environment = useEnvironment();
  const [search, setSearch] = useSearchParams();
  const [months] = useState(() => monthsUpTo(new Date(), monthsShown));
  const month = months.find((each) => each === search.get('month')) ?? months[0] ?? '';
  const cursor = search.get('cursor') ?? undefined;
  const page = useStatement({ month, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
  const { data, error } = page;
  const show = (shown: { month: string; cursor?: string }): void => setSearch(shown);
  return (
    <Page
      title="Statement"
      lead="Every wallet movement in a month. The opening balance plus all movements equals the closing balance."
      action={
        <FileLink
          className={buttonClassName('secondary')}
          href={`/v1/statement?month=${month}&environment=${environment}&format=csv`}
        >
          <Icon name="download" />
          Download CSV
        </FileLink>
      }
    >
      <div className="w-56 max-w-full">
        <Choice
          label="Month"
          isHidden
          value={month}
          options={months.map((value) => ({ value, label: formatMonth(value) }))}
          onChange={(chosen) => show({ month: chosen })}
        />
      </div>
      {error !== null && data === undefined && (
        <Problem error={error} title="The statement could not be loaded." onRetry={() => void page.refetch()} />
      )}
      {page.isPending && <Rows count={8} />}
      {data !== undefined && (
        <>
          <Balances
            statement={data.statement}
            isNow={data.statement.month === months[0]}
            isStale={page.isPlaceholderData}
          />
          <Movements statement={data.statement} isStale={page.isPlaceholderData} />
          <Pager
            cursor={cursor}
            next={data.next}
            onNext={(next) => show({ month, cursor: next })}
            onFirst={() => show({ month })}
            labels={{ first: 'First page', next: 'Later' }}
          />
        </>
      )}
    </Page>
  );
}

interface BalancesProps {
  statement: Statement;
  isNow: boolean;
  isStale: boolean;
}

function Balances({ statement, isNow, isStale }: BalancesProps) {
  const figures = [
    { name: 'Opening balance', value: `${formatExactUsdc(statement.opening_balance)} USDC` },
    {
      name: isNow ? 'Current balance' : 'Closing balance',
      value: `${formatExactUsdc(statement.closing_balance)} USDC`,
    },
    { name: 'Movements', value: formatCount(statement.movement_count) },
  ];
  return (
    <dl
      aria-busy={isStale}
      className={classNames(
        'grid border-y border-line sm:grid-cols-3 sm:divide-x sm:divide-line',
        isStale && 'opacity-60',
      )}
    >
      {figures.map(({ name, value }) => (
        <div
          key={name}
          className="flex items-baseline justify-between gap-4 py-2 sm:grid sm:gap-0.5 sm:px-5 sm:py-4 sm:first:pl-0"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="figures font-semibold sm:text-title">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Movements({ statement, isStale }: { statement: Statement; isStale: boolean }) {
  if (statement.movement_count === 0) {
    return (
      <Empty title={`No movements in ${formatMonth(statement.month)}`}>
        Payouts, top-ups and refunds appear here, with the balance after each.
      </Empty>
    );
  }
  return (
    <Table label="Movements" columns={columns} isStale={isStale}>
      {statement.movements.map((movement) => (
        <MovementRow key={movement.number} movement={movement} />
      ))}
    </Table>
  );
}

function MovementRow({ movement }: { movement: Movement }) {
  const address = useAddress();
  const { kind, at, amount, balance, number, reference, payout_id: payoutId } = movement;
  const label = movementLabel(kind);
  return (
    <Row isLink={payoutId !== null}>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          {/* On a phone the reference has a line of its own, or little of it could be read. */}
          <span className="grid min-w-0 sm:block sm:truncate">
            <span className="truncate">
              {payoutId === null ? label : <RowLink to={address(`/payouts/${payoutId}`)}>{label}</RowLink>}
            </span>
            {reference !== null && <span className="truncate text-muted"> {reference}</span>}
          </span>
          <span className="text-small text-muted sm:hidden">
            <Timestamp at={at} />
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden text-muted">
        <Timestamp at={at} />
      </Cell>
      <Cell isAmount className={classNames('font-medium max-md:pr-0', !amount.startsWith('-') && 'text-completed')}>
        {formatMovement(amount)}
      </Cell>
      <Cell isAmount className="max-md:hidden max-lg:pr-0 text-muted">
        {formatExactUsdc(balance)}
      </Cell>
      <Cell isAmount className="max-lg:hidden text-muted">
        {formatCount(number)}
      </Cell>
    </Row>
  );
}
