import type { Command, Option } from 'commander';

/** The page explains these once. */
const common = new Set(['--json']);

function formatUsage(name: string, command: Command): string {
  const given = command.registeredArguments.map((each) => `<${each.name()}>`);
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return ['kelpie', name, ...given, ...required].join(' ');
}

function describeOption({ flags, description, defaultValue, argChoices }: Option): string {
  const extra = [
    ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
    ...(defaultValue === undefined || defaultValue === false ? [] : [`default ${String(defaultValue)}`]),
  ];
  return `- \`${flags}\`: ${description}${extra.length === 0 ? '' : ` (${extra.join('; ')})`}`;
}

function describeChoices(command: Command): string[] {
  return command.registeredArguments.flatMap((each) => {
    const choices = each.argChoices?.join(', ');
    return choices === undefined ? [] : [`- \`<${each.name()}>\`: ${each.description} (${choices})`];
  });
}

function describeCommand(name: string, command: Command): string[] {
  const options = command.options.filter(({ long }) => !common.has(long ?? '')).map(describeOption);
  const lines = [...describeChoices(command), ...options];
  return [
    `\`${formatUsage(name, command)}\`\n\n${command.description()}`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
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
