// What a command's help says besides its options: when somebody would use it, an example, and what it prints.
import type { Command } from 'commander';

interface CommandHelp {
  when: string;
  /** Whole command lines, as they are typed. */
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

/** As it is typed: `kelpie-admin partners suspend`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

export function addHelp(command: Command, { when, examples, prints }: CommandHelp): Command {
  const sections = [
    ['When:', wrapped(when, '  ')],
    [examples.length === 1 ? 'Example:' : 'Examples:', ...examples.map((line) => `  $ ${line}`)],
    ['Prints:', wrapped(prints, '  ')],
  ];
  return command
    .showHelpAfterError(`\`${pathOf(command)} --help\` tells more.`)
    .addHelpText('after', `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}`);
}

/** The same for a group of commands: where to begin in it. */
export function addGroupHelp(group: Command, { when, examples }: Omit<CommandHelp, 'prints'>): Command {
  const lines = [wrapped(when, ''), '', 'Examples:', ...examples.map((line) => `  $ ${line}`)];
  return group.addHelpText('after', `\n${lines.join('\n')}`);
}
