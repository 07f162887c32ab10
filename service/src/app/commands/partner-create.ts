import type { Command } from 'commander';
import { settings } from '../../platform/configuration/settings.ts';
import { createPartner, type NewPartner } from './create-partner.ts';
import { writeCommand, chosenSettings, doneAs, withOperator, sayDone } from './run-command.ts';
import { print } from './printing.ts';
import { addHelp } from './help.ts';

async function create(partner: NewPartner): Promise<void> {
  const { json, dryRun, slug, name } = partner;
  const pepper = chosenSettings((get) => get(settings.apiKeyPepper));
  const { id, key, written } = await withOperator(partner, 'service', async (deps) =>
    createPartner({ ...deps, pepper }, partner),
  );
  // The key of a partner that was not made would be nobody's.
  const made = { id, slug, name, ...(dryRun ? {} : { key }), ...doneAs(dryRun, written) };
  const sentence = dryRun
    ? `${name} (${slug}) is made, with a sandbox and an API key.`
    : `Made ${name} (${slug}), id ${id}. A worker connects its sandbox to the bank within a minute.\nIts API key, which is not shown again: ${key}`;
  print({ json }, made, sayDone(sentence, dryRun, written));
}

export function addCreatingPartners(partners: Command): void {
  addHelp(
    writeCommand(partners.command('create'))
      .description(
        'Make a partner with a sandbox that can pay at once, and an API key for it. The secret is shown once; a worker connects the sandbox to its bank.',
      )
      .requiredOption('--slug <slug>', 'its short name in addresses: 2 to 40 small letters, digits and hyphens')
      .requiredOption('--name <name>', 'its name, 1 to 120 characters')
      .action(create),
    {
      when: 'You set up a business by hand that does not sign up itself. Live is opened by its verification.',
      examples: ['kelpie-admin partners create --slug acme --name "Acme Marketplace" --operator ada@kelpie.example'],
      prints: 'its id, and the secret of its first sandbox key: hand that over safely, since nobody can read it again.',
    },
  );
}
