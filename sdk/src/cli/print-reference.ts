// Prints docs/partners/cli.md: its own introduction, and then every command as its help describes it.
import { readFileSync } from 'node:fs';
import { createProgram } from './program.ts';
import { describeCommands } from './reference.ts';

const page = readFileSync(new URL('../../../docs/partners/cli.md', import.meta.url), 'utf8');
const heading = '## Commands\n\n';
const introduction = page.slice(0, page.indexOf(heading) + heading.length);
process.stdout.write(introduction + describeCommands(createProgram({ json: false })));
