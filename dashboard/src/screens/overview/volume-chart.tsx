import type { UsageDay } from '@kelpie/sdk';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatCount, formatPounds, formatWholePounds } from '../../format/money.ts';
import { formatPlainDate } from '../../format/time.ts';
import { roundTicks } from './round-ticks.ts';

interface Shown {
  date: string;
  /** For the height of a bar alone; what is read is the text beside it. */
  paid: number;
  paidText: string;
  completed: number;
  failed: number;
}

function shownOf(day: UsageDay): Shown {
  return {
    date: day.date,
    paid: Number(day.paid_gbp),
    paidText: formatPounds(day.paid_gbp),
    completed: day.completed,
    failed: day.failed,
  };
}

const tick = { fill: 'var(--color-muted)', fontSize: 12 };

export function VolumeChart({ days }: { days: readonly UsageDay[] }) {
  const data = days.map(shownOf);
  const ticks = roundTicks(Math.max(...data.map(({ paid }) => paid)));
  return (
    <div className="h-full" role="img" aria-label="Pounds paid per day. The table has the same figures.">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 640, height: 256 }}>
        <BarChart data={data} margin={{ top: 16, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="date"
            tickFormatter={formatPlainDate}
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--color-line)' }}
            minTickGap={36}
          />
          <YAxis
            ticks={ticks}
            domain={[0, ticks.at(-1) ?? 'dataMax']}
            tickFormatter={formatWholePounds}
            tick={tick}
            tickLine={false}
            axisLine={false}
            width={62}
          />
          <Tooltip content={<DayNote />} cursor={{ fill: 'var(--color-hover)' }} isAnimationActive={false} />
          <Bar
            dataKey="paid"
            fill="var(--color-tide)"
            radius={[3, 3, 0, 0]}
            maxBarSize={20}
            isAnimationActive={false}
            shape={<DayBar />}
          />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

interface BarProps {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  payload?: Shown;
}

/** From this share on, a day's failures are marked with a cross instead of a dot. The legend names it. */
const manyFailed = 0.1;

function FailedMark({ day: { completed, failed }, middle, top }: { day: Shown; middle: number; top: number }) {
  if (failed === 0) return null;
  if (failed < manyFailed * (completed + failed))
    return <circle cx={middle} cy={top - 6} r="1.500" fill="var(--color-failed)" />;
  return (
    <path
      d={`M${middle - 3},${top - 11}l6,6m0,-6l-6,6`}
      stroke="var(--color-failed)"
      strokeWidth="1.600"
      strokeLinecap="round"
      fill="none"
    />
  );
}

/** A bar, with a mark above it on days with failures: a dot, or a cross for many. */
function DayBar({ x = 0, y = 0, width = 0, height = 0, payload }: BarProps) {
  const radius = Math.min(3, height);
  const middle = x + width / 2;
  const top = Math.min(y, y + height);
  return (
    <g>
      {height > 0 && (
        <path
          d={`M${x},${y + height}v${-(height - radius)}q0,${-radius} ${radius},${-radius}h${width - 2 * radius}q${radius},0 ${radius},${radius}v${height - radius}z`}
          fill="var(--color-tide)"
        />
      )}
      {payload !== undefined && <FailedMark day={payload} middle={middle} top={top} />}
    </g>
  );
}

interface NoteProps {
  active?: boolean;
  payload?: readonly { payload?: Shown }[];
}

function DayNote({ active = false, payload }: NoteProps) {
  const day = payload?.[0]?.payload;
  if (!active || day === undefined) return null;
  return (
    <div className="figures rounded-md border border-line bg-raised px-3 py-2 text-small shadow-float">
      <p className="text-muted">{formatPlainDate(day.date)}</p>
      <p className="font-medium">{day.paidText}</p>
      <p>{formatCount(day.completed)} completed</p>
      {day.failed > 0 && <p className="text-failed">{formatCount(day.failed)} failed or returned</p>}
    </div>
  );
}
