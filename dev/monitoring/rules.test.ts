import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { monitoringFolder, ruleFiles } from './files.ts';
import { metricNamesOf } from './metric-names.ts';
import { listSeriesNames } from './published-metrics.ts';
import { ruleCases } from './rule-cases.ts';
import { readRules } from './rules.ts';
import { runProgram, testRules } from './run-promtool.ts';

const { alerts, recorded } = await readRules();
const names = [...new Set(alerts.map(({ name }) => name))];

test('promtool accepts every rule', async () => {
  const { ok, output } = await runProgram('promtool', ['check', 'rules', ...ruleFiles]);
  assert(ok, output);
});

/** So many that promtool is done with them in time on a busy machine, too. */
const casesAtOnce = 10;

for (let from = 0; from < ruleCases.length; from += casesAtOnce) {
  const some = ruleCases.slice(from, from + casesAtOnce);
  test(`each alert from ${some[0]?.alert} to ${some.at(-1)?.alert} fires on bad data after its real time, with no other, and not on good data`, async () => {
    const { ok, output } = await testRules(some);
    assert(ok, output);
  });
}

test('a case that expects too little or too much fails', async () => {
  const right = ruleCases.find(({ alert }) => alert === 'NoApi');
  assert(right !== undefined);
  for (const firing of [[[11, []]], [[9, ['NoApi']]]] as const) {
    const { ok, output } = await testRules([{ ...right, firing }]);
    assert(!ok && /NoApi/.test(output), output);
  }
});

test('every alert has a case in which it fires', () => {
  const fires = new Set(ruleCases.flatMap(({ firing }) => firing.flatMap(([, fired]) => fired)));
  const explained = ruleCases.some(({ explained: some }) => some !== undefined && some[1].length > 0);
  const unseen = new Set(['Watchdog', ...(explained ? ['BudgetExplained'] : [])]);
  assert(names.length > 30);
  assert.deepEqual(
    names.filter((name) => !fires.has(name) && !unseen.has(name)),
    [],
  );
  assert.deepEqual(
    ruleCases.filter(({ alert }) => !names.includes(alert)).map(({ alert }) => alert),
    [],
  );
});

test('every alert has a severity that is routed, a sentence, and a runbook that names it', () => {
  for (const { name, severity, summary, runbook } of alerts) {
    assert.match(
      severity,
      /^(page|ticket|heartbeat|none)$|^\{\{ if .* \}\}page\{\{ else \}\}ticket\{\{ end \}\}$/,
      name,
    );
    assert.match(summary, /^[A-Z{0-9].{20,180}\.$/, name);
    const file = path.join(projectFolder, runbook);
    assert(runbook.startsWith('docs/runbooks/') && existsSync(file), `${name}: ${runbook} does not exist`);
    assert(readFileSync(file, 'utf8').includes(`\`${name}\``), `${runbook} does not name ${name}`);
  }
  const index = readFileSync(path.join(projectFolder, 'docs/runbooks/README.md'), 'utf8');
  assert.deepEqual(
    names.filter((name) => !index.includes(`\`${name}\``)),
    [],
  );
});

test('every metric of a rule is one that is published, or recorded by a rule before it', () => {
  const known = listSeriesNames();
  for (const { name, expression } of [...recorded, ...alerts]) {
    assert.deepEqual(
      metricNamesOf(expression).filter(
        (metric) => !known.has(metric) && !recorded.some((rule) => rule.name === metric),
      ),
      [],
      name,
    );
  }
  assert(!known.has('kelpie_none'));
});

test('every alert that the configuration of Alertmanager names exists', () => {
  const text = readFileSync(path.join(monitoringFolder, 'alertmanager.yml'), 'utf8');
  const named = Array.from(text.matchAll(/alertname=~?"([\w|]+)"/g), ([, list = '']) => list.split('|')).flat();
  assert(named.length > 30);
  assert.deepEqual(
    named.filter((name) => !names.includes(name)),
    [],
  );
});
