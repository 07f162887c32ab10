// What a command's help says besides its options: an example, and what it prints.
import type { Command } from 'commander';

interface CommandHelp {
  /** Whole command lines. */
  examples: readonly string[];
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

/** For example `kelpie payouts list`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The first sentence of a description. Its group lists the command with it. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

export function addHelp(command: Command, { examples, prints }: CommandHelp): void {
  const shown = examples.map((example) => `  $ ${example}`).join('\n');
  command
    .summary(firstSentence(command.description()))
    .showHelpAfterError(`Run \`${pathOf(command)} --help\` for details.`)
    .addHelpText(
      'after',
      `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${shown}\n\nPrints:\n${wrapped(prints, '  ')}`,
    );
}
