import type { Deposit, DepositFilters } from '@kelpie/sdk';
import { useSearchParams } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { useDeposits } from '../../data/reads.ts';
import { depositStatuses, depositStatusLabels, isDepositStatus, methodLabels } from '../../format/deposit-labels.ts';
import { formatPounds, formatRate, formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ShortId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { WhereToSend } from './where-to-send.tsx';

const pageSize = 50;

const columns = [
  { title: 'From' },
  { title: 'Status', className: 'max-sm:hidden' },
  { title: 'Received', className: 'max-sm:hidden' },
  { title: 'Credited', isAmount: true, className: 'max-md:pr-0' },
  { title: 'ID', className: 'max-md:hidden w-28 pl-6' },
];

const anyStatus = { value: 'any', label: 'Any status' } as const;
const statusOptions = [
  anyStatus,
  ...depositStatuses.map((value) => ({ value, label: depositStatusLabels[value].label })),
];

/** Top-ups received, and where to send the next one. */
export function Screen() {
  const [search, setSearch] = useSearchParams();
  const named = search.get('status') ?? '';
  const status = isDepositStatus(named) ? named : undefined;
  const cursor = search.get('cursor') ?? undefined;
  const filters: DepositFilters = {
    limit: pageSize,
    ...(status === undefined ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const deposits = useDeposits(filters);
  const show = (shown: Record<string, string>): void =>
    setSearch({ ...(status === undefined ? {} : { status }), ...shown });
  return (
    <Page
      title="Top-ups"
      lead="Bank transfers and USDC that you sent to your wallet, and the details for the next top-up."
    >
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 content-start gap-4 max-lg:order-1">
          <div className="w-56 max-w-full">
            <Choice
              label="Status"
              isHidden
              value={status ?? 'any'}
              options={statusOptions}
              onChange={(chosen) => setSearch(chosen === 'any' ? {} : { status: chosen })}
            />
          </div>
          <DepositTable deposits={deposits} isNarrowed={status !== undefined} onClear={() => setSearch({})} />
          <Pager
            cursor={cursor}
            next={deposits.data?.next}
            onNext={(next) => show({ cursor: next })}
            onFirst={() => show({})}
          />
        </div>
        <Section title="Top-up details">
          <WhereToSend />
        </Section>
      </div>
    </Page>
  );
}

interface DepositTableProps {
  deposits: ReturnType<typeof useDeposits>;
  isNarrowed: boolean;
  onClear: () => void;
}

function DepositTable({ deposits, isNarrowed, onClear }: DepositTableProps) {
  const { data, error } = deposits;
  if (data === undefined) {
    return error === null ? (
      <Rows count={4} />
    ) : (
      <Problem error={error} title="Top-ups could not be loaded." onRetry={() => void deposits.refetch()} />
    );
  }
  if (data.data.length === 0) return <NoDeposits isNarrowed={isNarrowed} onClear={onClear} />;
  return (
    <Table label="Top-ups" columns={columns} isStale={deposits.isPlaceholderData}>
      {data.data.map((deposit) => (
        <DepositRow key={deposit.id} deposit={deposit} />
      ))}
    </Table>
  );
}

function NoDeposits({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  const environment = useEnvironment();
  if (isNarrowed)
    return <Empty title="No top-ups with this status" action={<Button onClick={onClear}>Show all top-ups</Button>} />;
  return (
    <Empty title="No top-ups yet">
      {environment === 'sandbox'
        ? 'Your sandbox wallet starts with 10,000.00 USDC of test money. Add more with “Add test money”.'
        : 'Send pounds or USDC to the details on this page. A top-up appears here as soon as the bank receives it.'}
    </Empty>
  );
}

function formatSender({ sender, method }: Deposit): string {
  if (sender?.name) return sender.name;
  if (sender?.address) return `${sender.address.slice(0, 6)}…${sender.address.slice(-4)}`;
  return methodLabels[method];
}

/** What was sent, the rate it was converted at, and the bank's fee. */
function Conversion({ deposit }: { deposit: Deposit }) {
  const { sent_gbp: sent, gbp_per_usd: rate, fee_usdc: fee } = deposit;
  const figures = [
    sent === null ? '' : `${formatPounds(sent)} sent`,
    rate === null ? '' : formatRate(rate),
    fee === null ? '' : `fee ${formatUsdc(fee)}`,
  ].filter((part) => part !== '');
  return (
    <span className="grid justify-items-end text-small text-muted">
      {figures.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
}

/** The amount is struck through once it is no longer in the wallet. */
function WalletAmount({ deposit: { status, amount_usdc: amount } }: { deposit: Deposit }) {
  if (amount === null) return <span className="text-muted">Not known yet</span>;
  const isThere = status === 'credited' || status === 'pending';
  return <span className={isThere ? 'font-medium' : 'text-muted line-through'}>{formatUsdc(amount)}</span>;
}

function DepositRow({ deposit }: { deposit: Deposit }) {
  const { id, method, status, sender, created_at: at } = deposit;
  const { label, mark, meaning } = depositStatusLabels[status];
  const note = [methodLabels[method], sender?.reference].filter((text) => text).join(' · ');
  return (
    <Row>
      <Cell className="max-w-0 w-full sm:w-auto sm:max-w-56">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate font-medium">{formatSender(deposit)}</span>
          <span className="truncate text-small text-muted">{note}</span>
          <span className="text-small sm:hidden">
            <Marked mark={mark}>{label}</Marked>
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <span title={meaning}>
          <Marked mark={mark}>{label}</Marked>
        </span>
      </Cell>
      <Cell className="max-sm:hidden text-muted">
        <Timestamp at={at} />
      </Cell>
      <Cell isAmount className="max-md:pr-0">
        <div className="grid gap-0.5">
          <WalletAmount deposit={deposit} />
          <span className="text-small text-muted sm:hidden">
            <Timestamp at={at} to="date" />
          </span>
          <Conversion deposit={deposit} />
        </div>
      </Cell>
      <Cell className="max-md:hidden pl-6">
        <ShortId id={id} what="top-up ID" />
      </Cell>
    </Row>
  );
}
