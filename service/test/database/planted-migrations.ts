import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '@kelpie/dev/project.ts';

/** A database folder with these files, by their paths. */
export function folderOf(
  files: Readonly<Record<string, string>>,
  { atEnd, basedOnOwn = false }: { atEnd: (end: () => void) => void; basedOnOwn?: boolean },
): URL {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-database-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  if (basedOnOwn) cpSync(path.join(projectFolder, 'service/database'), folder, { recursive: true });
  for (const [name, sql] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, sql);
  }
  return pathToFileURL(`${folder}/`);
}
