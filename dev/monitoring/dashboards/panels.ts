// The few forms of Grafana's panels that our dashboards have.

type Unit = 'short' | 's' | 'reqps' | 'percentunit' | 'bytes' | 'none' | 'dateTimeFromNow';

interface Query {
  expression: string;
  /** With {{label}} for a label's value. */
  legend: string;
}

export interface Panel {
  title: string;
  /** What it says, and when to worry. */
  description: string;
  unit: Unit;
  queries: readonly Query[];
  /** A value in large digits instead of a curve. */
  isValue?: true;
  /** Where it begins to be a danger, as the alert has it. */
  threshold?: { value: number; isBelow?: true };
}

interface Row {
  title: string;
  panels: readonly Panel[];
}

export interface Dashboard {
  /** Its file and its address in Grafana. */
  name: string;
  title: string;
  description: string;
  rows: readonly Row[];
}

const datasource = { type: 'prometheus', uid: '${datasource}' };
const columns = 24;
const heights = { row: 1, curve: 8, value: 4 };
const colours = { good: 'green', bad: 'red' };

interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

function thresholdsOf({ threshold }: Panel) {
  if (threshold === undefined) return { mode: 'absolute', steps: [{ color: colours.good, value: null }] };
  const [low, high] = threshold.isBelow ? [colours.bad, colours.good] : [colours.good, colours.bad];
  return {
    mode: 'absolute',
    steps: [
      { color: low, value: null },
      { color: high, value: threshold.value },
    ],
  };
}

function drawPanel(panel: Panel, id: number, gridPos: Place): object {
  const curve = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: 5,
    showPoints: 'never',
    spanNulls: false,
    thresholdsStyle: { mode: panel.threshold === undefined ? 'off' : 'line' },
  };
  const options = panel.isValue
    ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'value', graphMode: 'none' }
    : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } };
  return {
    id,
    type: panel.isValue ? 'stat' : 'timeseries',
    title: panel.title,
    description: panel.description,
    gridPos,
    datasource,
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        thresholds: thresholdsOf(panel),
        ...(panel.isValue ? {} : { custom: curve, min: 0 }),
      },
      overrides: [],
    },
    options,
    targets: panel.queries.map(({ expression, legend }, at) => ({
      refId: String.fromCodePoint(65 + at),
      datasource,
      expr: expression,
      legendFormat: legend,
      ...(panel.isValue ? { instant: true } : {}),
    })),
  };
}

/** Curves two beside each other, values six; each row below the one before. */
function placePanels(rows: readonly Row[]): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    const gridPos = { x: 0, y, w: columns, h: heights.row };
    placed.push({ id: placed.length + 1, type: 'row', title, collapsed: false, gridPos, panels: [] });
    y += heights.row;
    let x = 0;
    for (const [at, panel] of panels.entries()) {
      const w = panel.isValue ? columns / 6 : columns / 2;
      const h = panel.isValue ? heights.value : heights.curve;
      placed.push(drawPanel(panel, placed.length + 1, { x, y, w, h }));
      x += w;
      const next = panels[at + 1];
      const isEndOfLine = next === undefined || next.isValue !== panel.isValue || x + w > columns;
      if (isEndOfLine) [x, y] = [0, y + h];
    }
  }
  return placed;
}

/** The file that Grafana imports. */
export function drawDashboard({ name, title, description, rows }: Dashboard): string {
  const dashboard = {
    uid: name,
    title,
    description,
    tags: ['kelpie'],
    timezone: 'utc',
    schemaVersion: 38,
    version: 1,
    editable: false,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    annotations: { list: [] },
    panels: placePanels(rows),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}
