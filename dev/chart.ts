// Line charts beside each other as one SVG, in the colours of the other drawings, on a ground of its own: it reads the same on
// a light page and on a dark one.

const plot = { top: 84, height: 250, width: 350 };
const lefts = [80, 525];

export interface Line {
  colour: string;
  /** From 0 at the left to 1 at the right. A value of null is a gap. */
  points: readonly { at: number; value: number | null }[];
  /** A dot at each point, where they are few. */
  hasDots?: true;
}

interface Scale {
  ticks: readonly number[];
  /** From 0 at the bottom to 1 at the top. */
  heightOf(value: number): number;
}

export interface Chart {
  title: string;
  scale: Scale;
  lines: readonly Line[];
  /** Below the chart, from 0 to 1. */
  labels: readonly { at: number; text: string }[];
  /** What these are. */
  axis: string;
}

interface Key {
  colour: string;
  label: string;
  x: number;
}

interface Drawing {
  title: string;
  keys: readonly Key[];
  charts: readonly Chart[];
}

/** A round number of about a fifth of the whole. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 5) ?? most;
}

export function linearScale(most: number): Scale {
  const step = stepFor(most);
  const count = Math.ceil(most / step);
  const top = count * step;
  return { ticks: Array.from({ length: count + 1 }, (_, at) => at * step), heightOf: (value) => value / top };
}

export function logarithmicScale(values: readonly number[]): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)),
    heightOf: (value) => (Math.log10(value) - low) / (high - low),
  };
}

/** Each run of points without a gap. */
function runsOf({ points }: Line, place: (at: number, value: number) => { x: string; y: string }) {
  const runs: { x: string; y: string }[][] = [[]];
  for (const { at, value } of points) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push(place(at, value));
  }
  return runs.filter((run) => run.length > 0);
}

function drawRun({ colour, hasDots }: Line, run: readonly { x: string; y: string }[]): string[] {
  const line = `<polyline points="${run.map(({ x, y }) => `${x},${y}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  const dots = run.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`);
  return hasDots ? [line, ...dots] : [line];
}

export function leftOf(chart: number): number {
  return lefts[chart] ?? 0;
}

function drawChart({ title, scale, lines, labels, axis }: Chart, place: number): string {
  const left = leftOf(place);
  const right = left + plot.width;
  const yOf = (value: number): number => plot.top + plot.height * (1 - scale.heightOf(value));
  const grid = scale.ticks.map((tick) => {
    const y = yOf(tick).toFixed(1);
    const label = tick.toLocaleString('en-GB');
    return `<path d="M${left} ${y}H${right}" stroke="#d5dfdd"/><text x="${left - 10}" y="${Number(y) + 4}" text-anchor="end" font-size="12" fill="#51666a">${label}</text>`;
  });
  const below = labels.map(
    ({ at, text }) =>
      `<text x="${(left + at * plot.width).toFixed(1)}" y="${plot.top + plot.height + 22}" text-anchor="middle" font-size="12" fill="#51666a">${text}</text>`,
  );
  const drawn = lines.flatMap((line) =>
    runsOf(line, (at, value) => ({ x: (left + at * plot.width).toFixed(1), y: yOf(value).toFixed(1) })).flatMap((run) =>
      drawRun(line, run),
    ),
  );
  return [
    `<text x="${left}" y="${plot.top - 16}" font-weight="600">${title}</text>`,
    ...grid,
    ...below,
    ...drawn,
    `<text x="${right}" y="${plot.top + plot.height + 44}" text-anchor="end" font-size="12" fill="#51666a">${axis}</text>`,
  ].join('\n  ');
}

/** An SVG document. */
export function drawCharts({ title, keys, charts }: Drawing): string {
  const legend = keys.map(
    ({ colour, label, x }) =>
      `<circle cx="${x + 5}" cy="31" r="5" fill="${colour}"/><text x="${x + 16}" y="36">${label}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 400" font-family="Inter, system-ui, sans-serif" font-size="15" fill="#0b1f24">
  <title>${title}</title>
  <rect width="920" height="400" fill="#f7f9f8"/>
  ${[...legend, ...charts.map(drawChart)].join('\n  ')}
</svg>
`;
}
