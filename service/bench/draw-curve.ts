import type { CurvePoint } from './measure-curve.ts';

// The curve as two charts beside each other, in the colours of the other drawings, on a ground of its own: it reads the same
// on a light page and on a dark one.

const plot = { top: 84, height: 250, width: 350 };
const colours = { api: '#0f6e6e', bare: '#8a9a9d' };

interface Chart {
  left: number;
  title: string;
  ticks: readonly number[];
  /** From 0 at the bottom to 1 at the top. */
  heightOf(value: number): number;
  valueOf(point: CurvePoint, edge: 'api' | 'bare'): number;
}

/** A round number of about a fifth of the whole. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 5) ?? most;
}

function throughputChart(points: readonly CurvePoint[]): Chart {
  const most = Math.max(...points.flatMap(({ api, bare }) => [api.tps, bare.tps]));
  const step = stepFor(most);
  const top = Math.ceil(most / step) * step;
  return {
    left: 80,
    title: 'Payouts a second',
    ticks: Array.from({ length: top / step + 1 }, (_, at) => at * step),
    heightOf: (value) => value / top,
    valueOf: (point, edge) => point[edge].tps,
  };
}

function latencyChart(points: readonly CurvePoint[]): Chart {
  const values = points.flatMap(({ api, bare }) => [api.p99_ms, bare.p99_ms]);
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return {
    left: 525,
    title: 'p99 in milliseconds',
    ticks: Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)),
    heightOf: (value) => (Math.log10(value) - low) / (high - low),
    valueOf: (point, edge) => point[edge].p99_ms,
  };
}

function xOf({ left }: Chart, at: number, count: number): number {
  return left + (at * plot.width) / (count - 1);
}

function yOf(chart: Chart, value: number): number {
  return plot.top + plot.height * (1 - chart.heightOf(value));
}

function drawLine(chart: Chart, points: readonly CurvePoint[], edge: 'api' | 'bare'): string {
  const places = points.map((point, at) => {
    const x = xOf(chart, at, points.length).toFixed(1);
    return { x, y: yOf(chart, chart.valueOf(point, edge)).toFixed(1) };
  });
  return [
    `<polyline points="${places.map(({ x, y }) => `${x},${y}`).join(' ')}" fill="none" stroke="${colours[edge]}" stroke-width="2"/>`,
    ...places.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${colours[edge]}"/>`),
  ].join('\n  ');
}

function drawChart(chart: Chart, points: readonly CurvePoint[]): string {
  const right = chart.left + plot.width;
  const grid = chart.ticks.map((tick) => {
    const y = yOf(chart, tick).toFixed(1);
    const label = tick.toLocaleString('en-GB');
    return `<path d="M${chart.left} ${y}H${right}" stroke="#d5dfdd"/><text x="${chart.left - 10}" y="${Number(y) + 4}" text-anchor="end" font-size="12" fill="#51666a">${label}</text>`;
  });
  const labels = points.map(
    ({ connections }, at) =>
      `<text x="${xOf(chart, at, points.length).toFixed(1)}" y="${plot.top + plot.height + 22}" text-anchor="middle" font-size="12" fill="#51666a">${connections}</text>`,
  );
  return [
    `<text x="${chart.left}" y="${plot.top - 16}" font-weight="600">${chart.title}</text>`,
    ...grid,
    ...labels,
    drawLine(chart, points, 'bare'),
    drawLine(chart, points, 'api'),
    `<text x="${right}" y="${plot.top + plot.height + 44}" text-anchor="end" font-size="12" fill="#51666a">connections</text>`,
  ].join('\n  ');
}

const legend = [
  { edge: 'api', label: 'the api', x: 80 },
  { edge: 'bare', label: 'PostgreSQL alone, one call a payout', x: 172 },
] as const;

/** An SVG document. */
export function drawCurve(points: readonly CurvePoint[]): string {
  const keys = legend.map(
    ({ edge, label, x }) =>
      `<circle cx="${x + 5}" cy="31" r="5" fill="${colours[edge]}"/><text x="${x + 16}" y="36">${label}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 400" font-family="Inter, system-ui, sans-serif" font-size="15" fill="#0b1f24">
  <title>Payouts a second, and the time within which 99 of 100 are answered, by the number of connections</title>
  <rect width="920" height="400" fill="#f7f9f8"/>
  ${keys.join('\n  ')}
  ${drawChart(throughputChart(points), points)}
  ${drawChart(latencyChart(points), points)}
</svg>
`;
}
