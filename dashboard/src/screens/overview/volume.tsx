import type { UsageDay, UsageDayList } from '@kelpie/sdk';
import { lazy, Suspense, useState } from 'react';
import { useDays } from '../../data/reads.ts';
import { penceOf, formatCount, formatPounds } from '../../format/money.ts';
import { formatTimestamp, formatPlainDate } from '../../format/time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { whenIdle } from '../../ui/when-idle.ts';

/** Its library is larger than the rest of the page: it comes once everything else is there. */
const VolumeChart = lazy(async () => {
  await whenIdle();
  return { default: (await import('./volume-chart.tsx')).VolumeChart };
});

function sumOf(days: readonly UsageDay[]): string {
  const pence = days.reduce((sum, day) => sum + penceOf(day.paid_gbp), 0n);
  return formatPounds(`${pence / 100n}.${String(pence % 100n).padStart(2, '0')}`);
}

function summaryOf({ data, counted_since: since }: UsageDayList): string {
  if (since === null) return `${sumOf(data)} arrived in the last 30 days, London time.`;
  return `${sumOf(data)} arrived of what was sent since ${formatTimestamp(new Date(since))}. Earlier payouts are too many to be counted here; the statement has them all.`;
}

function isEmpty(days: readonly UsageDay[]): boolean {
  return days.every(({ completed, failed }) => completed === 0 && failed === 0);
}

/** Paid per day, with the failed ones marked. The same figures as a table are one key away. */
export function Volume() {
  const days = useDays();
  const [isTable, setTable] = useState(false);
  const isNothing = days.data !== undefined && isEmpty(days.data.data);
  return (
    <Section
      title="Paid per day"
      aside={
        !isNothing && (
          <button
            type="button"
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
            className="flex items-center gap-1.5 rounded-sm px-1.5 text-muted hover:bg-hover hover:text-ink"
          >
            <Icon name={isTable ? 'usage' : 'table'} />
            {isTable ? 'Show the chart' : 'Show a table'}
          </button>
        )
      }
    >
      {days.isError && days.data === undefined && (
        <Problem error={days.error} title="The figures are not known right now." onRetry={() => void days.refetch()} />
      )}
      {isNothing ? (
        <p className="rounded-lg border border-dashed border-line px-6 py-8 text-center text-muted">
          What you pay each day will be drawn here.
        </p>
      ) : (
        <>
          <div className="h-64 min-w-0">
            {days.data === undefined ? (
              !days.isError && <ChartSkeleton />
            ) : isTable ? (
              <VolumeTable days={days.data.data} />
            ) : (
              <Suspense fallback={<ChartSkeleton />}>
                <VolumeChart days={days.data.data} />
              </Suspense>
            )}
          </div>
          <p className="min-h-5 text-small text-pretty text-muted">{days.data !== undefined && summaryOf(days.data)}</p>
        </>
      )}
    </Section>
  );
}

function VolumeTable({ days }: { days: readonly UsageDay[] }) {
  return (
    // Can be scrolled by keyboard, so it can be reached by keyboard.
    <div className="h-full overflow-y-auto" tabIndex={0} role="group" aria-label="Paid per day, as a table">
      <Table
        label="Paid per day"
        columns={[
          { title: 'Day' },
          { title: 'Arrived', isAmount: true },
          { title: 'Failed', isAmount: true },
          { title: 'Paid', isAmount: true },
        ]}
      >
        {days.toReversed().map((day) => (
          <Row key={day.date}>
            <Cell>{formatPlainDate(day.date)}</Cell>
            <Cell isAmount>{formatCount(day.completed)}</Cell>
            <Cell isAmount>{formatCount(day.failed)}</Cell>
            <Cell isAmount>{formatPounds(day.paid_gbp)}</Cell>
          </Row>
        ))}
      </Table>
    </div>
  );
}

const heights = [30, 45, 38, 60, 52, 70, 44, 58, 66, 40, 54, 62, 48, 72];

function ChartSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex h-full items-end gap-2 border-b border-line pb-1">
      {heights.map((height) => (
        <span key={height} className="skeleton flex-1" style={{ height: `${height}%` }} />
      ))}
    </div>
  );
}
