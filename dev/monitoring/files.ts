// The files that production uses, filled in.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fillTemplate } from '../cluster/fill-template.ts';
import { projectFolder } from '../project.ts';

export const monitoringFolder = path.join(projectFolder, 'deploy/monitoring');
export const rulesFolder = path.join(monitoringFolder, 'rules');

export const ruleFiles: readonly string[] = globSync('*.yml', { cwd: rulesFolder })
  .toSorted()
  .map((name) => path.join(rulesFolder, name));

interface Targets {
  api: readonly string[];
  worker: readonly string[];
  patroni: readonly string[];
  haproxy: readonly string[];
  prometheus: readonly string[];
  alertmanager: readonly string[];
}

export const noTargets: Targets = { api: [], worker: [], patroni: [], haproxy: [], prometheus: [], alertmanager: [] };

function readTemplate(name: string): string {
  return readFileSync(path.join(monitoringFolder, name), 'utf8');
}

export function prometheusConfig(targets: Targets, rules: string): string {
  return fillTemplate(readTemplate('prometheus.yml'), {
    RULES_FOLDER: rules,
    ...Object.fromEntries(
      Object.entries(targets).map(([job, addresses]) => [`${job.toUpperCase()}_TARGETS`, JSON.stringify(addresses)]),
    ),
  });
}

interface Receivers {
  pages: string;
  tickets: string;
  heartbeat: string;
}

export function alertmanagerConfig({ pages, tickets, heartbeat }: Receivers): string {
  return fillTemplate(readTemplate('alertmanager.yml'), {
    PAGES_URL: pages,
    TICKETS_URL: tickets,
    HEARTBEAT_URL: heartbeat,
  });
}
