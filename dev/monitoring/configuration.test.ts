import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { listAt, textAt } from '../json.ts';
import { alertmanagerConfig, prometheusConfig, rulesFolder } from './files.ts';
import { runProgram } from './run-promtool.ts';
import { askServer, startAlertmanager } from './servers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-monitoring-'));
after(() => rmSync(folder, { recursive: true }));

const receivers = {
  pages: 'http://127.0.0.1:9/pages',
  tickets: 'http://127.0.0.1:9/tickets',
  heartbeat: 'http://127.0.0.1:9/heartbeat',
};

test('Prometheus and Alertmanager accept the configuration', async () => {
  const one = ['10.0.0.1:1'];
  const targets = { api: one, worker: one, patroni: one, haproxy: one, prometheus: one, alertmanager: [...one, 'b:2'] };
  const files = {
    prometheus: path.join(folder, 'prometheus.yml'),
    alertmanager: path.join(folder, 'alertmanager.yml'),
  };
  writeFileSync(files.prometheus, prometheusConfig(targets, rulesFolder));
  writeFileSync(files.alertmanager, alertmanagerConfig(receivers));
  const checked = [
    await runProgram('promtool', ['check', 'config', files.prometheus]),
    await runProgram('amtool', ['check-config', files.alertmanager]),
  ];
  for (const { ok, output } of checked) assert(ok, output);
});

type Labels = Readonly<Record<string, string>>;

/** Labels of alerts that fire together, and the names of those that are then held back. */
const together: readonly { fire: readonly Labels[]; suppressed: readonly string[] }[] = [
  {
    fire: [
      { alertname: 'NoLeader' },
      { alertname: 'NoSynchronousStandby' },
      { alertname: 'WritesClosed' },
      { alertname: 'NoWorker' },
      { alertname: 'FiguresStale' },
      { alertname: 'CaseTooOld' },
    ],
    suppressed: ['FiguresStale', 'NoSynchronousStandby', 'NoWorker', 'WritesClosed'],
  },
  {
    fire: [
      { alertname: 'NoWorker' },
      { alertname: 'ProcessDown', job: 'kelpie-worker' },
      { alertname: 'ProcessDown', job: 'kelpie-api' },
      { alertname: 'EventsNotNumbered' },
    ],
    suppressed: ['EventsNotNumbered', 'ProcessDown'],
  },
  {
    fire: [
      { alertname: 'BankBreakerOpen', environment: 'live' },
      { alertname: 'PayoutPendingTooLong', environment: 'live' },
      { alertname: 'BankAnswersUnclear', environment: 'sandbox' },
      { alertname: 'JobGivenUp', queue: 'read-deposits' },
      { alertname: 'JobGivenUp', queue: 'issue-invoices' },
    ],
    suppressed: ['JobGivenUp', 'PayoutPendingTooLong'],
  },
  {
    fire: [
      { alertname: 'BudgetExplained', objective: 'creation_errors', speed: 'fast', severity: 'none' },
      { alertname: 'CreationErrorBudgetBurn', objective: 'creation_errors', speed: 'fast', severity: 'page' },
      { alertname: 'CreationErrorBudgetBurnSlow', objective: 'creation_errors', speed: 'slow', severity: 'ticket' },
      { alertname: 'WebhookDelayBudgetBurn', objective: 'webhooks', speed: 'fast', severity: 'page' },
    ],
    suppressed: ['CreationErrorBudgetBurn', 'CreationErrorBudgetBurnSlow'],
  },
];

async function listAlerts(url: string): Promise<unknown[]> {
  return listAt({ alerts: await askServer(`${url}/api/v2/alerts`) }, 'alerts');
}

test('a cause holds back the alerts that follow from it, and no others', async () => {
  for (const [at, { fire, suppressed }] of together.entries()) {
    const ends: (() => Promise<unknown>)[] = [];
    const { url } = await startAlertmanager({
      folder: path.join(folder, String(at)),
      config: alertmanagerConfig(receivers),
      atEnd: (end) => void ends.push(end),
    });
    const body = JSON.stringify(fire.map((labels) => ({ labels })));
    const headers = { 'content-type': 'application/json' };
    const posted = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body });
    assert(posted.ok, await posted.text());
    const shown = await eventually('all are judged', async () => {
      const alerts = await listAlerts(url);
      const areJudged = alerts.every((alert) => textAt(alert, 'status.state') !== 'unprocessed');
      return alerts.length === fire.length && areJudged && alerts;
    });
    const heldBack = shown
      .filter((alert) => textAt(alert, 'status.state') === 'suppressed')
      .map((alert) => textAt(alert, 'labels.alertname'));
    assert.deepEqual(heldBack.toSorted(), suppressed);
    for (const end of ends) await end();
  }
});
