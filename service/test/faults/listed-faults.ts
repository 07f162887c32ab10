import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '@kelpie/dev/project.ts';

/** A row of docs/faults.md. */
export interface ListedFault {
  number: number;
  fault: string;
  /** As the page says it. */
  tests: string;
  /** Test files, from the root of the project. */
  files: string[];
}

export function readListedFaults(): ListedFault[] {
  const page = readFileSync(path.join(projectFolder, 'docs/faults.md'), 'utf8');
  const rows = Array.from(
    page.matchAll(/^\| (\d+) \| (.*?) \| .* \| (.*?) \|$/gm),
    ([, number, fault = '', tests = '']) => ({
      number: Number(number),
      fault,
      tests,
      files: Array.from(tests.matchAll(/`((?:src|test)\/[^` ]+\.test\.ts)`/g), ([, file]) => `service/${file}`),
    }),
  );
  return rows.toSorted((one, other) => one.number - other.number);
}
