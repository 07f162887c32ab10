import type { Command } from 'commander';
import { endEverySession, endOneSession, listOpenSessions } from '../../access/index.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner } from './find-partner.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { counted, print, shortInstant, table } from './printing.ts';
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

function addList(group: Command): void {
  const list = limited(readCommand(group.command('list')))
    .argument('<partner>', 'partner slug or id')
    .description('List the open dashboard sessions of a partner, the one used last first.')
    .action(async (slugOrId: string, { json, limit }: ReadOptions & { limit: number }) => {
      const found = await look(async (tx, at) => {
        const { id: partnerId } = await getPartner(tx, slugOrId);
        return listOpenSessions(tx, partnerId, { at, atMost: limit });
      });
      const rows = found.map((one) => [
        one.id,
        one.email,
        shortInstant(one.createdAt),
        shortInstant(one.lastSeenAt),
        one.network ?? '-',
        one.browser ?? '-',
      ]);
      const names = ['SESSION', 'EMAIL', 'SIGNED IN', 'LAST SEEN', 'NETWORK', 'BROWSER'];
      print({ json }, found, table(names, rows, 'No one is signed in.'));
    });
  addHelp(list, {
    example: 'kelpie-admin sessions list acme',
    prints: 'One line per session: its id, the member, when they signed in and were last seen, network and browser.',
  });
}

async function endOne(text: string, options: WithReason): Promise<void> {
  const id = idFrom(text);
  const none = new OperatorError(`No open session has the id ${text}.`, 'not_found');
  if (id === undefined) throw none;
  const { json, dryRun, reason } = options;
  const { email, written } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const recorded = await deps.record(tx, { action: 'session.end', subject: id, detail: { reason } });
      const ended = await endOneSession(tx, id, { eventId: newId(deps.clock), at: deps.clock.now() });
      if (ended === null) throw none;
      return { email: ended.email, written: recorded };
    }),
  );
  const sentence = `The session of ${email} has ended. It stops working within a second.`;
  print({ json }, { id, email, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

async function endAll(slugOrId: string, options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const { slug, ended, written } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const partner = await getPartner(tx, slugOrId);
      const recorded = await deps.record(tx, { action: 'session.end_all', subject: partner.id, detail: { reason } });
      const count = await endEverySession(tx, partner.id, { eventId: newId(deps.clock), at: deps.clock.now() });
      return { slug: partner.slug, ended: count, written: recorded };
    }),
  );
  const sentence = `${counted(ended, 'session')} of ${slug} ended. They stop working within a second.`;
  print({ json }, { slug, ended, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addEnd(group: Command): void {
  const end = withReason(writeCommand(group.command('end')))
    .argument('<session>', 'session id; with --all, partner slug or id')
    .option('--all', 'end every session of the partner', false)
    .description(
      'End a dashboard session, or all of a partner. The member can sign in again with an emailed code. To keep someone out, remove the member.',
    )
    .action(async (subject: string, options: WithReason & { all: boolean }) =>
      options.all ? endAll(subject, options) : endOne(subject, options),
    );
  addHelp(end, {
    example: 'kelpie-admin sessions end --all acme --reason "stolen laptop, ticket 812"',
    prints: 'What ended, and the audit log entry.',
  });
}

export function addSessionCommands(kelpie: Command): void {
  const sessions = kelpie.command('sessions').description('List and end dashboard sessions.');
  addList(sessions);
  addEnd(sessions);
  addGroupHelp(sessions, {
    about:
      'A session is one member, signed in on one browser to one account. It lasts 12 hours at most. Ending it does not revoke API keys.',
    example: 'kelpie-admin sessions list acme',
  });
}
