import type { ActivityEntry } from '@kelpie/sdk';
import { useSearchParams } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { useActivity } from '../../data/reads.ts';
import { activityLabel, activityOutcome, activityReason, type ActivityOutcome } from '../../format/activity-labels.ts';
import { Choice } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ShortId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';
import { kinds, kindFrom, fits, isPayoutId } from './kinds.ts';

const columns = [
  { title: 'Event' },
  { title: 'Response', className: 'max-sm:hidden' },
  { title: 'Environment', className: 'max-lg:hidden' },
  { title: 'Actor', className: 'max-sm:hidden' },
  { title: 'Time', isAmount: true, className: 'max-md:pr-0' },
  { title: 'Request ID', className: 'max-md:hidden w-28 pl-6' },
];

export function Screen() {
  const activity = useActivity();
  const [search, setSearch] = useSearchParams();
  const kind = kindFrom(search.get('kind'));
  const { data, error } = activity;
  const shown = data?.filter((entry) => fits(entry, kind));
  return (
    <Page
      title="Activity"
      lead="The latest 200 API requests and dashboard actions in both environments, including refused ones."
    >
      <div className="w-56 max-w-full">
        <Choice
          label="Filter"
          isHidden
          value={kind}
          options={kinds}
          onChange={(chosen) => setSearch(chosen === 'all' ? {} : { kind: chosen })}
        />
      </div>
      {error !== null && data === undefined && (
        <Problem error={error} title="Activity could not be loaded." onRetry={() => void activity.refetch()} />
      )}
      {activity.isPending && <Rows count={8} />}
      {shown?.length === 0 && <NoActivity isFiltered={data?.length !== 0} />}
      {shown !== undefined && shown.length > 0 && (
        <Table label="Activity" columns={columns}>
          {shown.map((entry) => (
            <EntryRow key={`${entry.request_id} ${entry.at} ${entry.action}`} entry={entry} />
          ))}
        </Table>
      )}
    </Page>
  );
}

function NoActivity({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No matching activity">None of the latest 200 entries match this filter. Choose another one.</Empty>
    );
  }
  return (
    <Empty title="No activity yet">API requests and dashboard actions appear here with the response to each.</Empty>
  );
}

function EntryRow({ entry }: { entry: ActivityEntry }) {
  const here = useEnvironment();
  const { action, detail, by, at, environment, request_id: requestId } = entry;
  const payoutId = isPayoutId(entry) ? detail : null;
  const label = activityLabel(entry);
  const outcome = activityOutcome(entry);
  const reason = activityReason(entry);
  return (
    <Row isLink={payoutId !== null}>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            {payoutId === null ? label : <RowLink to={`/${environment ?? here}/payouts/${payoutId}`}>{label}</RowLink>}
          </span>
          {reason !== undefined && <span className="truncate text-small">{reason}</span>}
          <span className="truncate font-mono text-small text-muted">
            {action}
            {detail !== null && payoutId === null && ` ${detail}`}
          </span>
          <span className="truncate text-small text-muted sm:hidden">
            <Response status={entry.status} outcome={outcome} /> {by}
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <Response status={entry.status} outcome={outcome} />
      </Cell>
      <Cell className="max-lg:hidden text-muted">{environment ?? '–'}</Cell>
      <Cell className="max-sm:hidden max-w-56 truncate text-muted">{by}</Cell>
      <Cell isAmount className="text-muted max-md:pr-0">
        <Timestamp at={at} to="second" />
      </Cell>
      <Cell className="max-md:hidden pl-6">{requestId !== null && <ShortId id={requestId} what="request ID" />}</Cell>
    </Row>
  );
}

const outcomeClassNames: Readonly<Record<ActivityOutcome, string>> = {
  done: 'text-completed',
  code_sent: 'text-muted',
  refused: 'text-failed',
  failed: 'text-failed',
};

function Response({ status, outcome }: { status: number | null; outcome: ActivityOutcome }) {
  if (status === null) return <span className="text-muted">–</span>;
  // A 404 is most often a mistyped address, and no reason for alarm.
  const className = status === 404 ? 'text-muted' : outcomeClassNames[outcome];
  return <span className={classNames('figures', className)}>{status}</span>;
}
