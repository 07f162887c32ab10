import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { listPages, type Page } from '@kelpie/dev/docs/pages.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { Command } from 'commander';
import { exitCodes } from './command-error.ts';
import { createProgram } from './program.ts';
import { describeCommands } from './reference.ts';

const page = readFileSync(`${projectFolder}/docs/partners/cli.md`, 'utf8');

test('docs/partners/cli.md describes every command as its help does (`npm run cli:docs` writes it)', () => {
  const [, commands = ''] = page.split('## Commands\n\n');
  assert.equal(commands, describeCommands(createProgram({ json: false })));
});

test('the page and the help list every exit code', () => {
  const listed = Array.from(page.matchAll(/^\| (\d+) \| /gm), ([, code]) => Number(code));
  assert.deepEqual(listed, Object.values(exitCodes));
  const help = readFileSync(`${projectFolder}/sdk/src/cli/program.ts`, 'utf8');
  const shown = Array.from(help.matchAll(/^ {2}(\d+) {2,}\w/gm), ([, code]) => Number(code));
  assert.deepEqual(shown, Object.values(exitCodes));
});

function quiet(command: Command): Command {
  for (const each of command.commands) quiet(each);
  return command.exitOverride().configureOutput({ writeErr: () => undefined });
}

/** What is wrong with a command line after `kelpie`, if anything. Nothing is run. */
function problemOf(line: string): string | undefined {
  const words = Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
  let command = quiet(createProgram({ json: false }));
  for (let next = words[0]; command.commands.length > 0 && next !== undefined; next = words[0]) {
    const found = command.commands.find((each) => each.name() === next);
    if (found === undefined) return next.startsWith('-') ? undefined : `there is no command ${next}`;
    command = found;
    words.shift();
  }
  try {
    const { operands, unknown } = command.parseOptions(words);
    if (unknown.length > 0) return `there is no option ${unknown.join(' ')}`;
    if (operands.length > command.registeredArguments.length) return `too many arguments: ${operands.join(' ')}`;
  } catch (error) {
    return String(error);
  }
  return undefined;
}

/** Up to where the shell takes over. */
function commandLinesOf({ text }: Page): string[] {
  const lines = Array.from(text.matchAll(/(?:^|`|npx )kelpie ([a-z][^`\n|;&>#]*)/gm), ([, line = '']) => line.trim());
  return lines.filter((line) => !/[…<[(]/.test(line) && !/^(command|for)\b/.test(line));
}

test('every kelpie command in the docs exists, with its options', () => {
  const lines = listPages().flatMap((each) => commandLinesOf(each).map((line) => ({ file: each.file, line })));
  assert(lines.length > 10, 'hardly any command was found');
  const problems = lines.map(({ file, line }) => ({ file, line, problem: problemOf(line) }));
  assert.deepEqual(
    problems.filter(({ problem }) => problem !== undefined),
    [],
  );
});

test('a command or an option that does not exist is found', () => {
  assert.match(problemOf('payouts resend') ?? '', /no command resend/);
  assert.match(problemOf('payouts get ID --all') ?? '', /no option --all/);
  assert.equal(problemOf('payouts get ID --wait'), undefined);
});

test('every command has an example, says what it prints, and takes --json', () => {
  const leaves = createProgram({ json: false }).commands.flatMap((group) =>
    group.commands.length === 0 ? [group] : group.commands,
  );
  assert(leaves.length > 12);
  for (const leaf of leaves) {
    let help = '';
    leaf.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    assert.match(help, /Examples?:\n {2}\$ kelpie /, leaf.name());
    assert.match(help, /Prints:\n/, leaf.name());
    assert.match(help, /--json/, leaf.name());
  }
});
