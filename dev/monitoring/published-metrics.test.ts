import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { ownMetrics } from './published-metrics.ts';

/** What stands between backticks, except in an explanation. */
function quoted(text: string): string[] {
  return Array.from(text.replaceAll(/\([^)]*\)/g, '').matchAll(/`([^`]+)`/g), ([, name = '']) => name);
}

/** Each metric of the page's tables with its labels. */
function readDocumented(): string[] {
  const page = readFileSync(path.join(projectFolder, 'docs/operators.md'), 'utf8');
  const section = /^## Metrics$(.*?)(?=^## |$(?![\s\S]))/ms.exec(page)?.[1] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [names = '', labels = ''] = line.slice(2).split('|');
      return quoted(names).map((name) => `${name}: ${quoted(labels).toSorted().join(', ')}`);
    });
}

test('rules and dashboards know the metrics and labels that docs/operators.md lists, and no others', () => {
  const known = ownMetrics.map(({ name, labels }) => `${name}: ${Object.keys(labels).toSorted().join(', ')}`);
  assert.deepEqual(known.toSorted(), readDocumented().toSorted());
});
