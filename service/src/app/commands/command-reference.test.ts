import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { listPages, type Page } from '@kelpie/dev/docs/pages.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { Command } from 'commander';
import { describeCommands } from './command-reference.ts';
import { createProgram } from './program.ts';

test('docs/cli.md describes every command as its help does (`npm run cli:docs` writes it)', () => {
  const page = readFileSync(`${projectFolder}/docs/cli.md`, 'utf8');
  const [, commands = ''] = page.split('## Commands\n\n');
  assert.equal(commands, describeCommands(createProgram({ json: false })));
});

function quiet(command: Command): Command {
  for (const each of command.commands) quiet(each);
  return command.exitOverride().configureOutput({ writeErr: () => undefined });
}

/** What is wrong with a command line after `kelpie-admin`, if anything. Nothing is run. */
function problemOf(line: string): string | undefined {
  const words = Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
  let command = quiet(createProgram({ json: false }));
  for (let next = words[0]; command.commands.length > 0 && next !== undefined; next = words[0]) {
    const found = command.commands.find((each) => each.name() === next);
    if (found === undefined) return next.startsWith('-') ? undefined : `there is no command ${next}`;
    command = found;
    words.shift();
  }
  if (words.includes('--help')) return undefined;
  try {
    const { operands, unknown } = command.parseOptions(words);
    if (unknown.length > 0) return `there is no option ${unknown.join(' ')}`;
    if (operands.length > command.registeredArguments.length) return `too many arguments: ${operands.join(' ')}`;
  } catch (error) {
    return String(error);
  }
  return undefined;
}

/** Whole lines in samples, and what stands between backticks; there, what is required may be left out. */
function commandLinesOf({ text }: Page): string[] {
  const lines = Array.from(text.matchAll(/^(?:\$ )?kelpie-admin (.*)$/gm), ([, line = '']) => line);
  const inSentences = Array.from(text.matchAll(/`kelpie-admin ([^`\n]*)`/g), ([, line = '']) => line);
  return [...lines, ...inSentences].filter((line) => !line.includes('…'));
}

test('every kelpie-admin command in the docs exists, with its options', () => {
  const lines = listPages().flatMap((page) => commandLinesOf(page).map((line) => ({ file: page.file, line })));
  assert(lines.length > 30, 'hardly any command was found');
  const problems = lines.map(({ file, line }) => ({ file, line, problem: problemOf(line) }));
  assert.deepEqual(
    problems.filter(({ problem }) => problem !== undefined),
    [],
  );
});

test('a command or an option that does not exist is found', () => {
  assert.match(problemOf('payouts resend') ?? '', /no command resend/);
  assert.match(problemOf('payouts show ID --all') ?? '', /no option --all/);
  assert.equal(problemOf('payouts stuck --older-than 10'), undefined);
});
