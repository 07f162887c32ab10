// Loaded with --import before one of our programs: replaces passages of one of its files, as PLANTED_HOLE says.
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { cut } from './cut.ts';

const planted: unknown = JSON.parse(process.env['PLANTED_HOLE'] ?? '');
const file = textAt(planted, 'file');
const edits = listAt(planted, 'edits').map((edit) => [textAt(edit, '0'), textAt(edit, '1')] as const);
const changed = pathToFileURL(path.join(projectFolder, file)).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== changed || loaded.source === undefined || loaded.source === null) return loaded;
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: cut({ file, edits }, text) };
  },
});
