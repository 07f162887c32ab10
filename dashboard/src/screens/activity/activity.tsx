import type { ActivityEntry } from '@kelpie/sdk';
import { useSearchParams } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { useActivity } from '../../data/reads.ts';
import { activityLabel } from '../../format/activity-labels.ts';
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
  { title: 'What' },
  { title: 'Answer', className: 'max-sm:hidden' },
  { title: 'Environment', className: 'max-lg:hidden' },
  { title: 'By', className: 'max-sm:hidden' },
  { title: 'When', isAmount: true, className: 'max-md:pr-0' },
  { title: 'Request-Id', className: 'max-md:hidden w-28 pl-6' },
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
      lead="The latest 200 requests of programs and what people did, in both environments, failures included."
    >
      <div className="w-56 max-w-full">
        <Choice
          label="Show"
          isHidden
          value={kind}
          options={kinds}
          onChange={(chosen) => setSearch(chosen === 'all' ? {} : { kind: chosen })}
        />
      </div>
      {error !== null && data === undefined && (
        <Problem error={error} title="The activity could not be read." onRetry={() => void activity.refetch()} />
      )}
      {activity.isPending && <Rows count={8} />}
      {shown?.length === 0 && <Nothing isOfKind={data?.length !== 0} />}
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

function Nothing({ isOfKind }: { isOfKind: boolean }) {
  if (isOfKind) {
    return (
      <Empty title="Nothing of this kind">The list goes 200 requests back. Choose another kind to see them.</Empty>
    );
  }
  return (
    <Empty title="Nothing has been asked yet">
      What programs ask with your keys, and what people do here, is listed with what was answered.
    </Empty>
  );
}

function EntryRow({ entry }: { entry: ActivityEntry }) {
  const here = useEnvironment();
  const { action, detail, by, at, environment, request_id: requestId } = entry;
  const payoutId = isPayoutId(entry) ? detail : null;
  const label = activityLabel(entry);
  return (
    <Row isLink={payoutId !== null}>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            {payoutId === null ? label : <RowLink to={`/${environment ?? here}/payouts/${payoutId}`}>{label}</RowLink>}
          </span>
          <span className="truncate font-mono text-small text-muted">
            {action}
            {detail !== null && payoutId === null && ` ${detail}`}
          </span>
          <span className="truncate text-small text-muted sm:hidden">
            <Answer status={entry.status} /> {by}
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <Answer status={entry.status} />
      </Cell>
      <Cell className="max-lg:hidden text-muted">{environment ?? '–'}</Cell>
      <Cell className="max-sm:hidden max-w-56 truncate text-muted">{by}</Cell>
      <Cell isAmount className="text-muted max-md:pr-0">
        <Timestamp at={at} to="second" />
      </Cell>
      <Cell className="max-md:hidden pl-6">{requestId !== null && <ShortId id={requestId} what="Request-Id" />}</Cell>
    </Row>
  );
}

/** What is not there is most often an address that somebody mistyped. */
function statusClassName(status: number): string {
  if (status === 404) return 'text-muted';
  return status >= 400 ? 'text-failed' : 'text-completed';
}

function Answer({ status }: { status: number | null }) {
  // Nobody asked, or nobody was there to be answered.
  if (status === null) return <span className="text-muted">–</span>;
  return <span className={classNames('figures', statusClassName(status))}>{status}</span>;
}
