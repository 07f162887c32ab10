import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { proxyValuesOf, valuesOf } from './configuration.ts';
import { fillTemplate } from './fill-template.ts';
import { addressesOf, nodes, type ClusterPlan } from './plan.ts';

const plan: ClusterPlan = {
  folder: '/var/tmp/cluster',
  network: 7,
  proxyPort: 25_432,
  passwords: { superuser: 'super', replication: 'repl', patroni: 'rest' },
};

function template(name: string): string {
  return readFileSync(path.join(projectFolder, 'deploy/cluster', name), 'utf8');
}

test('every file of a node is filled in wholly, and names that node', () => {
  for (const node of nodes)
    for (const [name, values] of Object.entries(valuesOf(plan, node))) {
      const filled = fillTemplate(template(name), values);
      assert.doesNotMatch(filled, /\$\{[A-Z]/);
      assert.match(filled, new RegExp(`\\bnode${node}\\b`));
    }
});

test('HAProxy reaches each node by the network that a partition leaves alone', () => {
  const filled = fillTemplate(template('haproxy.cfg'), proxyValuesOf(plan));
  for (const node of nodes) assert.match(filled, new RegExp(`server node${node} 198\\.19\\.7\\.${4 * node + 2}:5432`));
});

test('Patroni replaces a dead leader in 10 s, and no commit is confirmed without a standby', () => {
  const filled = fillTemplate(template('patroni.yml'), valuesOf(plan, 1)['patroni.yml']);
  const settings = ['ttl: 10', 'loop_wait: 2', 'retry_timeout: 3', 'failsafe_mode: true', 'synchronous_mode: true'];
  for (const setting of [...settings, 'synchronous_mode_strict: true', "synchronous_commit: 'on'"])
    assert.match(filled, new RegExp(`^ +${setting}$`, 'm'));
});

test('two clusters on one machine share no address', () => {
  const addresses = [0, 1].flatMap((network) =>
    nodes.flatMap((node) => {
      const { peers, clients, host } = addressesOf({ network }, node);
      return [peers, clients, host];
    }),
  );
  assert.equal(new Set(addresses).size, addresses.length);
});
