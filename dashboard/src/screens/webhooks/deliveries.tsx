import type { Delivery } from '@kelpie/sdk';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useIsAdmin } from '../../data/session.ts';
import { useDeliveries } from '../../data/webhooks.ts';
import { deliveryLabels, isAccepted, outcomeLabel } from '../../format/webhook-labels.ts';
import { Choice } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { RedeliverSince } from './redeliver-since.tsx';

const statuses = [
  { value: 'all', label: 'All deliveries' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const;

const columns = [
  { title: 'Event' },
  { title: 'Status', className: 'max-sm:hidden' },
  { title: 'Sequence', isAmount: true, className: 'max-sm:hidden' },
  { title: 'Attempts', isAmount: true, className: 'max-md:hidden' },
  { title: 'Last answer', className: 'max-md:hidden' },
  { title: 'Next attempt', className: 'max-lg:hidden' },
  { title: 'Created', isAmount: true },
];

const pageSize = 25;

/** What was sent to the webhook in the last 30 days. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const isAdmin = useIsAdmin();
  const [search, setSearch] = useSearchParams();
  const status = statuses.find(({ value }) => value === search.get('status'))?.value ?? 'all';
  const cursor = search.get('cursor') ?? undefined;
  const filtered = status === 'all' ? {} : { status };
  const deliveries = useDeliveries(webhookId, { limit: pageSize, ...filtered, cursor });
  const { data, error } = deliveries;
  return (
    <Section title="Deliveries" aside={isAdmin && <RedeliverSince webhookId={webhookId} />}>
      <div className="w-56 max-w-full">
        <Choice
          label="Filter deliveries"
          isHidden
          value={status}
          options={statuses}
          onChange={(chosen) => setSearch(chosen === 'all' ? {} : { status: chosen })}
        />
      </div>
      {error !== null && data === undefined && (
        <Problem error={error} title="Deliveries could not be loaded." onRetry={() => void deliveries.refetch()} />
      )}
      {deliveries.isPending && <Rows count={6} />}
      {data !== undefined && (
        <>
          <DeliveryTable
            deliveries={data.data}
            isStale={deliveries.isPlaceholderData}
            isFiltered={status !== 'all' || cursor !== undefined}
          />
          <Pager
            cursor={cursor}
            next={data.next}
            onNext={(next) => setSearch({ ...filtered, cursor: next })}
            onFirst={() => setSearch(filtered)}
          />
        </>
      )}
    </Section>
  );
}

interface DeliveryTableProps {
  deliveries: readonly Delivery[];
  isStale: boolean;
  isFiltered: boolean;
}

function DeliveryTable({ deliveries, isStale, isFiltered }: DeliveryTableProps) {
  if (deliveries.length === 0) {
    return isFiltered ? (
      <Empty title="No matching deliveries">Choose another filter to see others.</Empty>
    ) : (
      <Empty title="No deliveries yet">
        Events of the last 30 days appear here with what your server answered. Send a payout to see the first.
      </Empty>
    );
  }
  return (
    <Table label="Deliveries" columns={columns} isStale={isStale}>
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.event_id} delivery={delivery} />
      ))}
    </Table>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const address = useAddress();
  const { label, mark } = deliveryLabels[delivery.status];
  const { webhook_id: id, event_id: eventId, last_attempt: last, next_attempt_at: nextAt } = delivery;
  return (
    <Row isLink>
      <Cell className="max-w-0 w-full md:w-1/3">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            <RowLink to={address(`/webhooks/${id}/deliveries/${eventId}`)}>{delivery.type}</RowLink>
          </span>
          <span className="flex flex-wrap items-center gap-x-2 text-small text-muted sm:hidden">
            <Marked mark={mark}>{label}</Marked>
            <span className="figures">Sequence {delivery.sequence}</span>
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <Marked mark={mark}>{label}</Marked>
      </Cell>
      <Cell isAmount className="max-sm:hidden">
        {delivery.sequence}
      </Cell>
      <Cell isAmount className="max-md:hidden">
        {delivery.attempts}
      </Cell>
      <Cell className="max-md:hidden whitespace-nowrap">
        {last === null ? (
          <span className="text-muted">–</span>
        ) : (
          <span className={classNames('figures', !isAccepted(last) && 'text-failed')}>{outcomeLabel(last)}</span>
        )}
      </Cell>
      <Cell className="max-lg:hidden whitespace-nowrap text-muted">
        {nextAt === null ? '–' : <Timestamp at={nextAt} to="second" />}
      </Cell>
      <Cell isAmount className="whitespace-nowrap text-muted">
        <Timestamp at={delivery.created_at} />
      </Cell>
    </Row>
  );
}
