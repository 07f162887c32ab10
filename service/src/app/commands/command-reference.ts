import type { Command, Option } from 'commander';

/** docs/cli.md explains these once. */
const common = new Set(['--json', '--dry-run', '--reason', '--limit']);

function formatUsage(name: string, command: Command): string {
  const given = command.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`));
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return [name, ...given, ...required].join(' ');
}

function describeOption({ flags, description, defaultValue, defaultValueDescription, argChoices }: Option): string {
  const extra = [
    ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
    ...(defaultValue === undefined || defaultValue === false
      ? []
      : [`default ${defaultValueDescription ?? String(defaultValue)}`]),
  ];
  return `- \`${flags}\`: ${description}${extra.length === 0 ? '' : ` (${extra.join('; ')})`}`;
}

function describeCommand(name: string, command: Command): string[] {
  const options = command.options.filter(({ long, hidden }) => !hidden && !common.has(long ?? ''));
  const isWrite = command.options.some(({ long }) => long === '--dry-run');
  return [
    `\`${formatUsage(name, command)}\`${isWrite ? ' · write' : ''}\n\n${command.description()}`,
    ...(options.length === 0 ? [] : [options.map(describeOption).join('\n')]),
  ];
}

/** Every command of the program as Markdown, from the texts of its own help. */
export function describeCommands(program: Command): string {
  const sections = program.commands.flatMap((group) => {
    const heading = [`### ${group.name()}`];
    if (group.commands.length === 0) return [...heading, ...describeCommand(group.name(), group)];
    const commands = group.commands.flatMap((each) => describeCommand(`${group.name()} ${each.name()}`, each));
    return [...heading, group.description(), ...commands];
  });
  return `${sections.join('\n\n')}\n`;
}
