// Prometheus and Alertmanager by the released files, watching the trial.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fillTemplate } from '@kelpie/dev/cluster/fill-template.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { askServer, startAlertmanager, startPrometheus } from '@kelpie/dev/monitoring/servers.ts';
import { startAlertReceiver } from '../monitoring/alert-receiver.ts';
import type { Stage } from './stage.ts';

export interface Monitoring {
  /** What was sent to people so far. */
  alerts(): string[];
  /** What Prometheus cannot reach. */
  unreached(): Promise<string[]>;
}

function targets(addresses: readonly string[]): string {
  return JSON.stringify(addresses);
}

export async function startMonitoring(
  { deployFiles, folder, hosts, cluster }: Stage,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<Monitoring> {
  const receiver = await startAlertReceiver();
  atEnd(async () => receiver.close());
  const [port, alertmanagerPort] = [await findPort(), await findPort()];
  const fill = async (file: string, values: Readonly<Record<string, string>>): Promise<string> =>
    fillTemplate(await readFile(path.join(deployFiles, 'monitoring', file), 'utf8'), values);
  const local = (ports: readonly number[]): string => targets(ports.map((each) => `127.0.0.1:${each}`));
  await startAlertmanager({
    folder: path.join(folder, 'alertmanager'),
    port: alertmanagerPort,
    atEnd,
    config: await fill('alertmanager.yml', {
      PAGES_URL: `${receiver.url}/pages`,
      TICKETS_URL: `${receiver.url}/tickets`,
      HEARTBEAT_URL: `${receiver.url}/heartbeat`,
    }),
  });
  const prometheus = await startPrometheus({
    folder: path.join(folder, 'prometheus'),
    port,
    atEnd,
    config: await fill('prometheus.yml', {
      RULES_FOLDER: path.join(deployFiles, 'monitoring/rules'),
      ALERTMANAGER_TARGETS: local([alertmanagerPort]),
      PROMETHEUS_TARGETS: local([port]),
      API_TARGETS: local(hosts.map(({ apiMetricsPort }) => apiMetricsPort)),
      WORKER_TARGETS: local(hosts.map(({ workerMetricsPort }) => workerMetricsPort)),
      PATRONI_TARGETS: targets(cluster.metrics.patroni),
      HAPROXY_TARGETS: targets([cluster.metrics.proxy]),
    }),
  });
  return {
    alerts: () => receiver.received.filter(({ receiver: to }) => to !== 'heartbeat').map(({ name }) => name),
    async unreached() {
      const answer = await askServer(`${prometheus.url}/api/v1/query?query=${encodeURIComponent('up == 0')}`);
      return listAt(answer, 'data.result').map((series) => textAt(series, 'metric.job'));
    },
  };
}
