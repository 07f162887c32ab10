import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCircuitWatch } from './circuit-watch.ts';
import { byComponent, components } from './components.ts';
import { judge, judgeWithoutDatabase, noSignals, withIncidents, type OwnSignals } from './judge.ts';
import type { Incident, Signals } from './record.ts';

const fine: OwnSignals = { isBankSilent: false, hasDashboard: true };

function levelsOf(
  signals: Partial<Signals>,
  own: Partial<OwnSignals> = {},
  incidents: readonly Partial<Incident>[] = [],
) {
  const whole = incidents.map((one) => ({
    id: 'one',
    title: 'One',
    impact: 'outage' as const,
    components: [],
    opened_at: '2026-11-18T00:00:00Z',
    resolved_at: null,
    updates: [],
    ...one,
  }));
  const judged = withIncidents(judge({ ...noSignals, ...signals }, { ...fine, ...own }), whole);
  return components.map((component) => judged[component].level).join(' ');
}

test('each signal changes the components that it is about, and no other', () => {
  const well = 'operational operational operational operational operational';
  assert.equal(levelsOf({}), well);
  assert.equal(levelsOf({ rail_blocked: true }), well.replace(/ \w+/, ' outage'));
  assert.equal(levelsOf({ waiting: 2 }), well);
  assert.equal(levelsOf({ waiting: 3 }), well.replace(/ \w+/, ' degraded'));
  assert.equal(levelsOf({ overdue: 1 }), well.replace(/ \w+/, ' degraded'));
  assert.equal(levelsOf({ at_bank: 3 }), 'operational operational degraded operational operational');
  assert.equal(levelsOf({}, { isBankSilent: true }), 'operational outage outage operational operational');
  assert.equal(levelsOf({ webhook_delay: 120 }), well);
  assert.equal(levelsOf({ webhook_delay: 121 }), 'operational operational operational degraded operational');
  assert.equal(levelsOf({ event_delay: 901 }), 'operational operational operational outage operational');
  assert.equal(levelsOf({}, { hasDashboard: false }), 'operational operational operational operational outage');
});

/** The states of all where only payouts have one of their own. */
function only(level: string): string {
  return `operational ${level} operational operational operational`;
}

test('an incident makes a component worse than measured, and never better', () => {
  const payouts = { components: ['payouts' as const] };
  assert.equal(levelsOf({}, {}, [{ ...payouts, impact: 'degraded' }]), only('degraded'));
  assert.equal(levelsOf({ rail_blocked: true }, {}, [{ ...payouts, impact: 'degraded' }]), only('outage'));
  assert.equal(levelsOf({ rail_blocked: true }, {}, [{ ...payouts, impact: 'maintenance' }]), only('maintenance'));
  const both = [
    { ...payouts, impact: 'maintenance' as const },
    { ...payouts, impact: 'outage' as const },
  ];
  assert.equal(levelsOf({}, {}, both), only('outage'));
  const resolved = [{ ...payouts, resolved_at: '2026-11-18T01:00:00Z' }];
  assert.equal(levelsOf({}, {}, resolved), only('operational'));
});

test('without the database everything but the bank is in an outage', () => {
  const judged = judgeWithoutDatabase(judge(noSignals, fine));
  assert.deepEqual(
    byComponent((component) => judged[component].level),
    { api: 'outage', payouts: 'outage', bank: 'operational', webhooks: 'outage', dashboard: 'outage' },
  );
});

test('the bank is silent while a circuit for payouts is tried in vain, and for a minute at most without a try', () => {
  let now = 0;
  const watch = createCircuitWatch(() => now);
  watch.onCircuit('verify', true);
  assert.equal(watch.isBankSilent(), false);
  watch.onCircuit('send', true);
  assert.equal(watch.isBankSilent(), true);
  now = 59_000;
  watch.onCircuit('send', true);
  now = 118_000;
  assert.equal(watch.isBankSilent(), true);
  now = 119_001;
  assert.equal(watch.isBankSilent(), false);
  watch.onCircuit('read', true);
  watch.onCircuit('read', false);
  assert.equal(watch.isBankSilent(), false);
});
