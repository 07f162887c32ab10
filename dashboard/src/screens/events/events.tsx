import type { Event } from '@kelpie/sdk';
import { Link, useSearchParams } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { eventsPerPage, useEventsUpTo } from '../../data/events.ts';
import { eventLabel, pageOf } from '../../format/event-types.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

const columns = [
  { title: 'Event' },
  { title: 'Sequence', isAmount: true, className: 'max-sm:hidden' },
  { title: 'About', className: 'max-md:hidden pl-6' },
  { title: 'Time', isAmount: true },
];

function sequenceFrom(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}

/** What happened, as the API and webhooks tell it. A page is named by its newest sequence, so that it can be shared. */
export function Screen() {
  const environment = useEnvironment();
  const [search, setSearch] = useSearchParams();
  const last = sequenceFrom(search.get('up_to'));
  const events = useEventsUpTo(last);
  const { data, error } = events;
  const oldest = data?.at(-1)?.sequence ?? 1;
  const hasOlder = data?.length === eventsPerPage && oldest > 1;
  return (
    <Page
      title="Events"
      lead={`What changed in ${environment} in the last 90 days, newest first. Your server reads the same events by API or gets them by webhook.`}
    >
      {error !== null && data === undefined && (
        <Problem error={error} title="Events could not be loaded." onRetry={() => void events.refetch()} />
      )}
      {events.isPending && <Rows count={8} />}
      {data !== undefined && (
        <>
          <EventTable events={data} isStale={events.isPlaceholderData} isFirst={last === undefined} />
          <Pager
            cursor={last === undefined ? undefined : String(last)}
            next={hasOlder ? String(oldest - 1) : undefined}
            onNext={(next) => setSearch({ up_to: next })}
            onFirst={() => setSearch({})}
          />
        </>
      )}
    </Page>
  );
}

function EventTable({ events, isStale, isFirst }: { events: readonly Event[]; isStale: boolean; isFirst: boolean }) {
  if (events.length === 0) {
    return isFirst ? (
      <Empty title="No events yet">Each change of a payout, a top-up or an API key appears here.</Empty>
    ) : (
      <Empty title="No older events">We keep events for 90 days.</Empty>
    );
  }
  return (
    <Table label="Events" columns={columns} isStale={isStale}>
      {events.map((event) => (
        <EventRow key={event.id} event={event} />
      ))}
    </Table>
  );
}

function EventRow({ event }: { event: Event }) {
  const address = useAddress();
  const page = pageOf(event);
  return (
    <Row isLink>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            <RowLink to={address(`/events/${event.id}`)}>{eventLabel(event.type)}</RowLink>
          </span>
          <span className="truncate font-mono text-small text-muted">
            {event.type}
            <span className="sm:hidden"> · {event.sequence}</span>
          </span>
        </div>
      </Cell>
      <Cell isAmount className="max-sm:hidden">
        {event.sequence}
      </Cell>
      <Cell className="max-md:hidden pl-6 whitespace-nowrap">
        {page !== undefined && (
          <Link to={address(page.path)} className="relative z-10 text-tide underline underline-offset-2">
            {page.title}
          </Link>
        )}
      </Cell>
      <Cell isAmount className="whitespace-nowrap text-muted">
        <Timestamp at={event.created_at} to="second" />
      </Cell>
    </Row>
  );
}
