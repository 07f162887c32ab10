import type { Command } from 'commander';
import { settings } from '../../platform/configuration/settings.ts';
import { createPartner, type NewPartner } from './create-partner.ts';
import { writeCommand, chosenSettings, doneAsJson, withOperator, describeDone } from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

async function create(partner: NewPartner): Promise<void> {
  const { json, dryRun, slug, name } = partner;
  const pepper = chosenSettings((get) => get(settings.apiKeyPepper));
  const { id, key, written } = await withOperator('service', async (deps) =>
    createPartner({ ...deps, pepper }, partner),
  );
  // A dry run creates no partner, so its key would not work.
  const created = { id, slug, name, ...(dryRun ? {} : { key }), ...doneAsJson(dryRun, written) };
  const sentence = dryRun
    ? `Created partner ${name} (${slug}) with a sandbox and an API key.`
    : `Created partner ${name} (${slug}), id ${id}. A worker connects its sandbox to the bank within a minute.\nSandbox API key (shown only once): ${key}`;
  print({ json }, created, describeDone(sentence, dryRun, written));
}

export function addCreatingPartners(partners: Command): void {
  addHelp(
    writeCommand(partners.command('create'))
      .description(
        'Create a partner with a sandbox and an API key. Use it for a business that does not sign up itself. Live opens after business verification.',
      )
      .requiredOption('--slug <slug>', 'short name for URLs: 2 to 40 lower-case letters, digits and hyphens')
      .requiredOption('--name <name>', 'business name, 1 to 120 characters')
      .action(create),
    {
      example: 'kelpie-admin partners create --slug acme --name "Acme Marketplace"',
      prints: 'The partner id and its sandbox API key. The key is shown only once.',
    },
  );
}
