import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPanels } from './draw-panels.ts';

const range = { from: 0, to: 40, stepSeconds: 10 };

test('a moment without a value is a gap in the curve', () => {
  const points = [0, 10, 30, 40].map((at) => ({ at, value: 1 }));
  const drawn = drawPanels(
    'Both',
    [{ panel: { title: 'Requests', unit: 'reqps' }, curves: [{ label: 'api', points }] }],
    range,
  );
  assert.equal(drawn.match(/<polyline/g)?.length, 2);
  assert.match(drawn, /Requests, per second/);
  assert.match(drawn, />00:00</);
});

test('a panel without any value is drawn without a curve', () => {
  const drawn = drawPanels('None', [{ panel: { title: 'Errors', unit: 'short' }, curves: [] }], range);
  assert.doesNotMatch(drawn, /polyline|NaN|Infinity/);
});
