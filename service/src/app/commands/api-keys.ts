import type { Command } from 'commander';
import { findAdminKey, listAdminKeys, revokeKeyAsOperator, type AdminKey } from '../../access/index.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { pounds, print, shortInstant, table } from './printing.ts';
import {
  describeDone,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { withNotifier } from './with-notifier.ts';

function stateOf({ revokedAt, expiresAt, previousExpiresAt }: AdminKey, now: Date): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return previousExpiresAt !== null && previousExpiresAt > now ? 'active, rolled' : 'active';
}

function rowOf(key: AdminKey, now: Date): string[] {
  return [
    key.id,
    key.environment,
    key.prefix,
    stateOf(key, now),
    key.scope,
    key.networks.length === 0 ? 'anywhere' : key.networks.join(','),
    pounds(key.dailyLimitPence),
    shortInstant(key.createdAt),
    shortInstant(key.lastUsedAt),
    shortInstant(key.expiresAt),
  ];
}

function addList(keys: Command): void {
  const list = limited(readCommand(keys.command('list')))
    .argument('<partner>', 'partner slug or id')
    .description('List the API keys of a partner, active ones first.')
    .action(async (slugOrId: string, { json, limit }: ReadOptions & { limit: number }) => {
      const { found, now } = await look(async (tx, at) => {
        const { id: partnerId } = await getPartner(tx, slugOrId);
        return { found: await listAdminKeys(tx, { partnerId, atMost: limit }), now: at };
      });
      const names = ['KEY', 'ENVIRONMENT', 'PREFIX', 'STATE', 'SCOPE', 'FROM', 'PER DAY', 'CREATED', 'USED', 'EXPIRES'];
      const rows = found.map((key) => rowOf(key, now));
      print({ json }, found, table(names, rows, 'This partner has no API keys.'));
    });
  addHelp(list, {
    example: 'kelpie-admin api-keys list acme',
    prints: 'One line per key: what it can do, from where, and when it was last used. It never shows a secret.',
  });
}

async function getKey(text: string): Promise<AdminKey> {
  const id = idFrom(text);
  const key = id === undefined ? null : await look(async (tx) => findAdminKey(tx, id));
  if (key !== null) return key;
  throw new OperatorError(
    `No API key has the id ${text}. \`kelpie-admin api-keys list PARTNER\` shows the ids.`,
    'not_found',
  );
}

async function revoke(text: string, options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const { id, partner, partnerId, environment, prefix } = await getKey(text);
  const written = await withOperator('service', async (deps) =>
    withNotifier(deps, async (notifying) =>
      runAudited({ ...deps, context: { partnerId, environment } }, options, async (tx) => {
        const recorded = await deps.record(tx, {
          action: 'api_key.revoke',
          subject: id,
          detail: { partner, environment, prefix, reason },
        });
        if (!(await revokeKeyAsOperator(tx, notifying, { partnerId, keyId: id })))
          throw new OperatorError(`The key ${prefix}… of ${partner} is already revoked.`, 'nothing_to_do');
        return recorded;
      }),
    ),
  );
  const sentence = `Revoked the ${environment} key ${prefix}… of ${partner}. It can no longer pay, and reads stop within a second. Its admins are emailed.`;
  print(
    { json },
    { id, partner, environment, prefix, revoked: true, ...doneAsJson(dryRun, written) },
    describeDone(sentence, dryRun, written),
  );
}

export function addApiKeyCommands(kelpie: Command): void {
  const keys = kelpie.command('api-keys').description('List and revoke API keys of partners.');
  addList(keys);
  addHelp(
    withReason(writeCommand(keys.command('revoke')).argument('<key>', 'API key id'))
      .description(
        'Revoke an API key permanently, with both secrets if it was rolled. Its partner’s admins are emailed.',
      )
      .action(revoke),
    {
      example: 'kelpie-admin api-keys revoke 01a1dfa5-b0ca-75cd-87df-3dd1ee8c2b5e --reason "leaked, ticket 812"',
      prints: 'The key and the audit log entry.',
    },
  );
  addGroupHelp(keys, {
    about: 'Partners create and roll their own keys. Revoke one if the partner can’t, or if it is being abused.',
    example: 'kelpie-admin api-keys list acme',
  });
}
