import type { UsageDay, UsageDayList } from '@kelpie/sdk';
import { useState } from 'react';
import { useDays } from '../../data/reads.ts';
import { amountOf, penceOf, formatCount, formatPounds } from '../../format/money.ts';
import { formatTimestamp, formatPlainDate } from '../../format/time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { VolumeChart } from './volume-chart.tsx';

function sumOf(days: readonly UsageDay[]): string {
  const pence = days.reduce((sum, day) => sum + penceOf(day.paid_gbp), 0n);
  return formatPounds(amountOf(pence));
}

function summaryOf({ data, counted_since: since }: UsageDayList): string {
  if (since === null) return `${sumOf(data)} paid out in the last 30 days.`;
  return `${sumOf(data)} paid out for payouts created since ${formatTimestamp(new Date(since))}. The statement also lists earlier payouts.`;
}

function isEmpty(days: readonly UsageDay[]): boolean {
  return days.every(({ completed, failed }) => completed === 0 && failed === 0);
}

/** Paid per day, with failures marked. The same figures are available as a table. */
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
            {isTable ? 'Show chart' : 'Show table'}
          </button>
        )
      }
    >
      {days.isError && days.data === undefined && (
        <Problem
          error={days.error}
          title="The daily figures could not be loaded."
          onRetry={() => void days.refetch()}
        />
      )}
      {isNothing ? (
        <p className="rounded-lg border border-dashed border-line px-6 py-8 text-center text-muted">
          A chart of your daily payouts appears here.
        </p>
      ) : (
        <Figures days={days} isTable={isTable} />
      )}
    </Section>
  );
}

interface FiguresProps {
  days: ReturnType<typeof useDays>;
  isTable: boolean;
}

function Figures({ days: { data, isError }, isTable }: FiguresProps) {
  return (
    <>
      <div className="h-64 min-w-0">
        {data === undefined ? (
          !isError && <ChartSkeleton />
        ) : isTable ? (
          <VolumeTable days={data.data} />
        ) : (
          <VolumeChart days={data.data} />
        )}
      </div>
      <div className="flex min-h-5 flex-wrap justify-between gap-x-6 gap-y-1 text-small text-muted">
        <p className="text-pretty">{data !== undefined && summaryOf(data)}</p>
        {data !== undefined && (isTable ? <p>Scroll for earlier days.</p> : <Legend days={data.data} />)}
      </div>
    </>
  );
}

/** The marks above the bars, on a chart that has any. */
function Legend({ days }: { days: readonly UsageDay[] }) {
  if (days.every(({ failed }) => failed === 0)) return null;
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4">
      <li>
        <span aria-hidden="true" className="font-semibold text-failed">
          •
        </span>{' '}
        Some failed or returned
      </li>
      <li>
        <span aria-hidden="true" className="font-semibold text-failed">
          ×
        </span>{' '}
        10% or more failed or returned
      </li>
    </ul>
  );
}

function VolumeTable({ days }: { days: readonly UsageDay[] }) {
  return (
    // It scrolls, so it has to be reachable by keyboard.
    <div className="h-full overflow-y-auto" tabIndex={0} role="group" aria-label="Paid per day, as a table">
      <Table
        label="Paid per day"
        columns={[
          { title: 'Day' },
          { title: 'Completed', isAmount: true },
          { title: 'Failed or returned', isAmount: true },
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
