// The rules as Prometheus itself reads them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listAt, textAt, valueAt } from '../json.ts';
import { noTargets, prometheusConfig, rulesFolder } from './files.ts';
import { askServer, startPrometheus } from './servers.ts';

interface Rule {
  name: string;
  expression: string;
}

interface AlertRule extends Rule {
  severity: string;
  summary: string;
  runbook: string;
}

export interface Rules {
  alerts: readonly AlertRule[];
  recorded: readonly Rule[];
}

/** Prometheus alone understands its rules for sure, so it is started for a moment and asked. */
export async function readRules(): Promise<Rules> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-rules-'));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const config = prometheusConfig(noTargets, rulesFolder);
    const { url } = await startPrometheus({ folder, config, atEnd: (end) => void ends.push(end) });
    const groups = listAt(await askServer(`${url}/api/v1/rules`), 'data.groups');
    const rules = groups.flatMap((group) => listAt(group, 'rules'));
    const ofType = (type: string): unknown[] => rules.filter((rule) => valueAt(rule, 'type') === type);
    return {
      alerts: ofType('alerting').map((rule) => ({
        name: textAt(rule, 'name'),
        expression: textAt(rule, 'query'),
        severity: textAt(rule, 'labels.severity'),
        summary: textAt(rule, 'annotations.summary'),
        runbook: textAt(rule, 'annotations.runbook'),
      })),
      recorded: ofType('recording').map((rule) => ({ name: textAt(rule, 'name'), expression: textAt(rule, 'query') })),
    };
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}
