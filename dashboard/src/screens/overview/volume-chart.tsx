import type { UsageDay } from '@kelpie/sdk';
import { useState } from 'react';
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

const margin = { top: 16, bottom: 30, left: 62 };
const thickest = 20;
/** Of a date below the axis, with the space around it. */
const dateWidth = 76;

interface Size {
  width: number;
  height: number;
}

/** The size of the element, now and whenever it changes. */
function useSize(): [Size, (element: HTMLElement | null) => (() => void) | undefined] {
  const [size, setSize] = useState<Size>({ width: 640, height: 256 });
  const [measure] = useState(() => (element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  });
  return [size, measure];
}

export function VolumeChart({ days }: { days: readonly UsageDay[] }) {
  const [{ width, height }, measure] = useSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const data = days.map(shownOf);
  const ticks = roundTicks(Math.max(...data.map(({ paid }) => paid)));
  const most = ticks.at(-1) ?? 1;
  const band = Math.max(0, width - margin.left) / data.length;
  const base = height - margin.bottom;
  const heightOf = (paid: number): number => (paid / most) * (base - margin.top);
  const leftOf = (place: number): number => margin.left + place * band;
  const day = pointed === null ? undefined : data[pointed];
  return (
    <div
      ref={measure}
      className="relative h-full"
      role="img"
      aria-label="Pounds paid per day. The table has the same figures."
      onPointerMove={({ clientX, currentTarget }) => {
        const place = Math.floor((clientX - currentTarget.getBoundingClientRect().left - margin.left) / band);
        setPointed(place >= 0 && place < data.length ? place : null);
      }}
      onPointerLeave={() => setPointed(null)}
    >
      <svg width={width} height={height} className="block text-small" fill="var(--color-muted)">
        {ticks.map((tick) => (
          <g key={tick}>
            <path d={`M${margin.left},${base - heightOf(tick)}H${width}`} stroke="var(--color-line)" />
            <text x={margin.left - 8} y={base - heightOf(tick)} dy="0.32em" textAnchor="end">
              {formatWholePounds(tick)}
            </text>
          </g>
        ))}
        {pointed !== null && (
          <rect x={leftOf(pointed)} y={margin.top} width={band} height={base - margin.top} fill="var(--color-hover)" />
        )}
        {data.map((one, place) => (
          <DayBar
            key={one.date}
            day={one}
            middle={leftOf(place) + band / 2}
            band={band}
            base={base}
            height={heightOf(one.paid)}
          />
        ))}
        <Dates days={data} band={band} y={base + 20} />
      </svg>
      {day !== undefined && pointed !== null && <DayNote day={day} left={leftOf(pointed) + band} width={width} />}
    </div>
  );
}

/** As many dates as there is room for. */
function Dates({ days, band, y }: { days: readonly Shown[]; band: number; y: number }) {
  const every = Math.max(1, Math.ceil(dateWidth / band));
  const last = days.length - dateWidth / 2 / band;
  return days.map(
    ({ date }, place) =>
      place % every === 0 &&
      place < last && (
        <text key={date} x={margin.left + (place + 0.5) * band} y={y} textAnchor="middle">
          {formatPlainDate(date)}
        </text>
      ),
  );
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

interface BarProps {
  day: Shown;
  middle: number;
  band: number;
  base: number;
  height: number;
}

/** A bar, with a mark above it on days with failures: a dot, or a cross for many. */
function DayBar({ day, middle, band, base, height }: BarProps) {
  const width = Math.min(thickest, band * 0.8);
  const radius = Math.min(3, height, width / 2);
  return (
    <>
      {height > 0 && (
        <path
          d={`M${middle - width / 2},${base}v${radius - height}q0,${-radius} ${radius},${-radius}h${width - 2 * radius}q${radius},0 ${radius},${radius}v${height - radius}z`}
          fill="var(--color-tide)"
        />
      )}
      <FailedMark day={day} middle={middle} top={base - height} />
    </>
  );
}

const noteWidth = 200;

/** What a day has in figures: after its bar, or before it where there is no room. */
function DayNote({ day, left, width }: { day: Shown; left: number; width: number }) {
  const hasRoom = left + noteWidth < width;
  return (
    <div
      className="figures pointer-events-none absolute top-4 rounded-md border border-line bg-raised px-3 py-2 text-small shadow-float"
      style={hasRoom ? { left: left + 8 } : { right: width - left + 28 }}
    >
      <p className="text-muted">{formatPlainDate(day.date)}</p>
      <p className="font-medium">{day.paidText}</p>
      <p>{formatCount(day.completed)} completed</p>
      {day.failed > 0 && <p className="text-failed">{formatCount(day.failed)} failed or returned</p>}
    </div>
  );
}
