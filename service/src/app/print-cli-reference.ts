// Prints docs/cli.md: its own introduction, and then every command as its help describes it.
import { readFileSync } from 'node:fs';
import { describeCommands } from './commands/command-reference.ts';
import { createProgram } from './commands/program.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const heading = '## Commands\n\n';
const introduction = page.slice(0, page.indexOf(heading) + heading.length);
process.stdout.write(introduction + describeCommands(createProgram({ json: false })));
