// Two panels of a dashboard as one picture, in place of Grafana.
import { drawCharts, leftOf, linearScale, type Chart, type Line } from '../chart.ts';
import type { Panel } from './dashboards/panels.ts';

/** One curve of an answer of Prometheus. */
export interface Curve {
  label: string;
  /** In seconds since 1970. */
  points: readonly { at: number; value: number }[];
}

export interface DrawnPanel {
  panel: Pick<Panel, 'title' | 'unit'>;
  curves: readonly Curve[];
}

export interface Range {
  /** In seconds since 1970. */
  from: number;
  to: number;
  stepSeconds: number;
}

const colours = ['#0f6e6e', '#c2590c', '#3b5fb5', '#8a9a9d', '#8b3f8f'];
const unitNames: Partial<Record<Panel['unit'], string>> = { s: 'seconds', reqps: 'per second', percentunit: 'share' };

function colourOf(at: number): string {
  return colours[at % colours.length] ?? '';
}

/** What Prometheus has no value for is a gap, not a straight line over it. */
function lineOf({ points }: Curve, at: number, { from, to, stepSeconds }: Range): Line {
  const known = new Map(points.map((point) => [Math.round((point.at - from) / stepSeconds), point.value]));
  const steps = Math.round((to - from) / stepSeconds);
  return {
    colour: colourOf(at),
    points: Array.from({ length: steps + 1 }, (_, step) => ({ at: step / steps, value: known.get(step) ?? null })),
  };
}

function chartOf({ panel, curves }: DrawnPanel, range: Range): Chart {
  const values = curves.flatMap(({ points }) => points.map(({ value }) => value));
  const unit = unitNames[panel.unit];
  const timeAt = (at: number): string =>
    new Date(1_000 * (range.from + at * (range.to - range.from))).toISOString().slice(11, 16);
  return {
    title: unit === undefined ? panel.title : `${panel.title}, ${unit}`,
    // A chart of nothing but zeros has a scale, too.
    scale: linearScale(Math.max(...values, 0) || 1),
    lines: curves.map((curve, at) => lineOf(curve, at, range)),
    labels: [0, 0.5, 1].map((at) => ({ at, text: timeAt(at) })),
    axis: 'UTC',
  };
}

/** Roughly, for the font and size of a key. */
const widthOf = (label: string): number => 34 + 8.2 * label.length;
const mostWidth = 440;

/** As many curves as have their keys above the panel. The largest come first. */
function withKeysThatFit({ panel, curves }: DrawnPanel): DrawnPanel {
  let width = 0;
  return { panel, curves: curves.filter(({ label }) => (width += widthOf(label)) <= mostWidth) };
}

function keysOf({ curves }: DrawnPanel, place: number) {
  let x = leftOf(place);
  return curves.map(({ label }, at) => {
    const key = { colour: colourOf(at), label, x };
    x += widthOf(label);
    return key;
  });
}

/** An SVG document. */
export function drawPanels(title: string, panels: readonly DrawnPanel[], range: Range): string {
  const drawn = panels.map(withKeysThatFit);
  return drawCharts({ title, keys: drawn.flatMap(keysOf), charts: drawn.map((panel) => chartOf(panel, range)) });
}
