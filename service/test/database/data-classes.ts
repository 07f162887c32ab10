import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '@kelpie/dev/project.ts';

/** What a column tells, from the least to the most: docs/data-protection.md explains them in this order. */
export const dataClasses = ['none', 'business', 'person', 'bank', 'secret', 'digest'] as const;

export interface ClassedColumn {
  table: string;
  column: string;
  class: (typeof dataClasses)[number];
}

function classNamed(name: string): ClassedColumn['class'] {
  const found = dataClasses.find((one) => one === name);
  if (found === undefined) throw new Error(`there is no class ${name}`);
  return found;
}

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) throw new Error('an object is expected');
  return Object.entries(value);
}

/** Each table with its columns by class, the names separated by spaces. */
export function readClassedColumns(): ClassedColumn[] {
  const text = readFileSync(path.join(projectFolder, 'service/database/data-classes.json'), 'utf8');
  return entriesOf(JSON.parse(text)).flatMap(([table, classes]) =>
    entriesOf(classes).flatMap(([name, columns]) =>
      String(columns)
        .split(' ')
        .map((column) => ({ table, column, class: classNamed(name) })),
    ),
  );
}
