import type { SessionEntry } from '@kelpie/sdk';
import { useSessions } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { EndSession, EndSessions } from './end-sessions.tsx';

const columns = [
  { title: 'Session' },
  { title: 'Network', className: 'max-md:hidden' },
  { title: 'Signed in', className: 'max-lg:hidden' },
  { title: 'Last seen', className: 'max-sm:hidden' },
  { title: 'End', isHidden: true },
];

/** Who is signed in now: everyone for an admin, a viewer's own for a viewer. */
export function Sessions() {
  const { data, error, refetch } = useSessions();
  const isAdmin = useIsAdmin();
  const hasOthers = data?.some((entry) => !entry.is_current) === true;
  return (
    <Section title="Sessions" aside={hasOthers && <EndSessions />}>
      <p className="text-muted">
        {isAdmin ? 'Everyone who is signed in to this account.' : 'Where you are signed in to this account.'} A session
        ends after 30 minutes without use.
      </p>
      {error !== null && data === undefined && (
        <Problem error={error} title="Sessions could not be loaded." onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Rows count={2} />}
      {data !== undefined && (
        <Table label="Sessions" columns={columns}>
          {data.map((entry) => (
            <SessionRow key={entry.id} entry={entry} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function SessionRow({ entry }: { entry: SessionEntry }) {
  const { email: own } = useSession();
  const { email, browser, network, created_at: createdAt, last_seen_at: seenAt, is_current: isCurrent } = entry;
  return (
    <Row>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate font-medium">
            {email}
            {email === own && <span className="font-normal text-muted"> (you)</span>}
          </span>
          <span className="truncate text-small text-muted">
            {browser ?? 'Unknown browser'}
            <span className="md:hidden"> · {network ?? 'Unknown network'}</span>
          </span>
          <span className="truncate text-small text-muted sm:hidden">
            Last seen <Timestamp at={seenAt} />
          </span>
        </div>
      </Cell>
      <Cell className="max-md:hidden whitespace-nowrap font-mono text-small text-muted">{network ?? 'Unknown'}</Cell>
      <Cell className="max-lg:hidden whitespace-nowrap text-muted">
        <Timestamp at={createdAt} />
      </Cell>
      <Cell className="max-sm:hidden whitespace-nowrap text-muted">
        <Timestamp at={seenAt} />
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {isCurrent ? <span className="text-completed">This session</span> : <EndSession entry={entry} />}
      </Cell>
    </Row>
  );
}
