import { drawCharts, linearScale, logarithmicScale, type Chart, type Line } from '@kelpie/dev/chart.ts';
import type { CurvePoint } from './measure-curve.ts';

const colours = { api: '#0f6e6e', bare: '#8a9a9d' };

type Edge = keyof typeof colours;

function chartOf(points: readonly CurvePoint[], valueOf: (point: CurvePoint, edge: Edge) => number) {
  const atOf = (at: number): number => at / (points.length - 1);
  const lineOf = (edge: Edge): Line => ({
    colour: colours[edge],
    points: points.map((point, at) => ({ at: atOf(at), value: valueOf(point, edge) })),
    hasDots: true,
  });
  return {
    lines: [lineOf('bare'), lineOf('api')],
    labels: points.map(({ connections }, at) => ({ at: atOf(at), text: String(connections) })),
    axis: 'connections',
  } satisfies Partial<Chart>;
}

/** An SVG document. */
export function drawCurve(points: readonly CurvePoint[]): string {
  const throughputs = points.flatMap(({ api, bare }) => [api.tps, bare.tps]);
  const latencies = points.flatMap(({ api, bare }) => [api.p99_ms, bare.p99_ms]);
  return drawCharts({
    title: 'Payouts a second, and the time within which 99 of 100 are answered, by the number of connections',
    keys: [
      { colour: colours.api, label: 'the api', x: 80 },
      { colour: colours.bare, label: 'PostgreSQL alone, one call a payout', x: 172 },
    ],
    charts: [
      {
        title: 'Payouts a second',
        scale: linearScale(Math.max(...throughputs)),
        ...chartOf(points, (point, edge) => point[edge].tps),
      },
      {
        title: 'p99 in milliseconds',
        scale: logarithmicScale(latencies),
        ...chartOf(points, (point, edge) => point[edge].p99_ms),
      },
    ],
  });
}
