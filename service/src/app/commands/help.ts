// What a command's help says besides its options: a summary, an example, and what it prints. docs/ has its CLI reference from here.
import type { Command } from 'commander';

interface CommandHelp {
  /** A whole command line. */
  example: string;
  prints: string;
}

const widestLine = 80;

function wrapped(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (indent.length + line.length + 1 + word.length <= widestLine) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${indent}${line}`).join('\n');
}

/** For example `kelpie-admin partners suspend`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The first sentence of a description. Its group lists the command with it. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

export function addHelp(command: Command, { example, prints }: CommandHelp): Command {
  const sections = [
    ['Example:', `  $ ${example}`],
    ['Prints:', wrapped(prints, '  ')],
  ];
  return command
    .summary(firstSentence(command.description()))
    .showHelpAfterError(`Run \`${pathOf(command)} --help\` for details.`)
    .addHelpText('after', `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}`);
}

export function addGroupHelp(group: Command, { about, example }: { about: string; example: string }): Command {
  return group
    .summary(firstSentence(group.description()))
    .addHelpText('after', `\n${wrapped(about, '')}\n\nExample:\n  $ ${example}`);
}
