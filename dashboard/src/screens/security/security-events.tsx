import type { SecurityEvent } from '@kelpie/sdk';
import { useSearchParams } from 'react-router';
import { useKeys, useSecurityEvents } from '../../data/reads.ts';
import { activityLabel, activityOutcome, activityReason } from '../../format/activity-labels.ts';
import { Choice } from '../../ui/choice.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { actionFrom, eventActions } from './event-actions.ts';

const columns = [
  { title: 'Event' },
  { title: 'By', className: 'max-sm:hidden' },
  { title: 'Network', className: 'max-lg:hidden' },
  { title: 'Browser', className: 'max-lg:hidden' },
  { title: 'Time', isAmount: true },
];

const pageSize = 25;

/** Kept for good, unlike the activity, which has the latest 200 requests. */
export function SecurityEvents() {
  const [search, setSearch] = useSearchParams();
  const action = actionFrom(search.get('action'));
  const cursor = search.get('cursor') ?? undefined;
  const filtered = action === 'all' ? {} : { action };
  const events = useSecurityEvents({ limit: pageSize, ...filtered, cursor });
  const { data, error } = events;
  return (
    <Section title="Security events">
      <div className="w-64 max-w-full">
        <Choice
          label="Filter events"
          isHidden
          value={action}
          options={eventActions}
          onChange={(chosen) => setSearch(chosen === 'all' ? {} : { action: chosen })}
        />
      </div>
      {error !== null && data === undefined && (
        <Problem error={error} title="Security events could not be loaded." onRetry={() => void events.refetch()} />
      )}
      {events.isPending && <Rows count={6} />}
      {data !== undefined && (
        <>
          <EventTable events={data.data} isStale={events.isPlaceholderData} />
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

function EventTable({ events, isStale }: { events: readonly SecurityEvent[]; isStale: boolean }) {
  // An event names a key by its id, which says nothing to people.
  const keyNames = new Map(useKeys().data?.map(({ id, label, key_prefix: prefix }) => [id, label ?? `${prefix}…`]));
  if (events.length === 0) {
    return (
      <Empty title="No security events">
        Sign-ins and changes of keys, members, limits and sessions appear here. Choose another filter to see others.
      </Empty>
    );
  }
  return (
    <Table label="Security events" columns={columns} isStale={isStale}>
      {events.map((event) => (
        <EventRow key={event.id} event={event} keyNames={keyNames} />
      ))}
    </Table>
  );
}

const environmentNames: Readonly<Record<string, string>> = { sandbox: 'Sandbox', live: 'Live' };

function EventRow({ event, keyNames }: { event: SecurityEvent; keyNames: ReadonlyMap<string, string> }) {
  const { by, detail, network, browser, created_at: createdAt, environment } = event;
  const reason = activityReason(event);
  const isDone = activityOutcome(event) === 'done';
  const where = [browser, network].filter((part) => part !== null).join(', ');
  return (
    <Row>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate font-medium">{activityLabel(event)}</span>
          <span className="truncate text-small text-muted">
            {[
              environment === null ? undefined : environmentNames[environment],
              isDone ? (keyNames.get(detail ?? '') ?? detail) : reason,
            ]
              .filter((part) => part !== null && part !== undefined)
              .join(' · ')}
          </span>
          <span className="truncate text-small text-muted sm:hidden">{by}</span>
          {where !== '' && <span className="truncate text-small text-muted lg:hidden">{where}</span>}
        </div>
      </Cell>
      <Cell className="max-sm:hidden max-w-56 truncate text-muted">{by}</Cell>
      <Cell className="max-lg:hidden whitespace-nowrap font-mono text-small text-muted">{network ?? '–'}</Cell>
      <Cell className="max-lg:hidden whitespace-nowrap text-muted">{browser ?? '–'}</Cell>
      <Cell isAmount className="text-muted">
        <Timestamp at={createdAt} />
      </Cell>
    </Row>
  );
}
