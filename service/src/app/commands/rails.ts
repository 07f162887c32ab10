import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  blockPayments,
  findBlock,
  liftBlock,
  listPaymentBlocks,
  type NewBlock,
  type PaymentBlockRow,
} from '../../payouts/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { getPartner, partnerFilter } from './find-partner.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { print, shortInstant, table } from './printing.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
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

const rails = ['provider_production', 'provider_sandbox', 'simulated'] as const;
const partnerCauses = ['partner_paused', 'debt', 'frozen'];

type Scope = Pick<PaymentBlockRow, 'rail' | 'partner' | 'environment'>;

/** For example "rail provider_production", or "acme (live)". */
function describeScope({ rail, partner, environment }: Scope): string {
  return rail === null ? `${partner} (${environment ?? 'sandbox and live'})` : `rail ${rail}`;
}

function addList(group: Command): void {
  const list = limited(readCommand(group.command('list')))
    .description('List what stops payments now: blocks of rails first, then of partners.')
    .option('--partner <partner>', 'only blocks that concern this partner (slug or id)')
    .action(async ({ json, partner, limit }: ReadOptions & { partner?: string; limit: number }) => {
      const found = await look(async (tx) =>
        listPaymentBlocks(tx, { partnerId: await partnerFilter(tx, partner), atMost: limit }),
      );
      const rows = found.map((one) => [
        one.id,
        one.cause,
        describeScope(one),
        shortInstant(one.since),
        one.by,
        one.reason,
      ]);
      const names = ['BLOCK', 'CAUSE', 'COVERS', 'SINCE', 'BY', 'REASON'];
      print({ json }, found, table(names, rows, 'Nothing stops payments.'));
    });
  addHelp(list, {
    example: 'kelpie-admin rails list',
    prints: 'One line per block in force: its cause, what it covers, since when, who set it, and why.',
  });
}

interface PauseOptions extends WithReason {
  rail?: (typeof rails)[number];
  partner?: string;
  environment?: 'sandbox' | 'live';
  cause?: string;
}

async function planBlock(
  tx: Transaction,
  options: PauseOptions,
): Promise<{ block: Omit<NewBlock, 'at'>; scope: Scope }> {
  const { rail, partner, environment = null, reason, cause } = options;
  if (rail !== undefined) {
    const scope = { rail, partner: null, environment: null };
    return { block: { ...scope, partnerId: null, cause: 'rail_paused', reason }, scope };
  }
  if (partner === undefined) throw new InvalidArgumentError('Use --rail or --partner.');
  const { id: partnerId, slug } = await getPartner(tx, partner);
  const scope = { rail: null, partner: slug, environment };
  return { block: { cause: cause ?? 'partner_paused', rail: null, partnerId, environment, reason }, scope };
}

async function pause(options: PauseOptions): Promise<void> {
  const { json, dryRun } = options;
  const { id, cause, scope, written } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const planned = await planBlock(tx, options);
      const { block } = planned;
      const recorded = await deps.record(tx, {
        action: 'rail.pause',
        subject: block.rail ?? block.partnerId ?? '',
        detail: { cause: block.cause, environment: block.environment, reason: block.reason },
      });
      const blockId = await blockPayments(tx, { ...block, at: deps.clock.now() });
      if (blockId === null)
        throw new OperatorError(
          `${block.cause} blocks ${describeScope(planned.scope)} already. \`kelpie-admin rails list\` shows it.`,
          'nothing_to_do',
        );
      return { id: blockId, cause: block.cause, scope: planned.scope, written: recorded };
    }),
  );
  const sentence = `Payments of ${describeScope(scope)} are blocked (${cause}). New payouts are refused, and what waits is not sent.\nBlock ${id}`;
  print({ json }, { id, cause, ...scope, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addPause(group: Command): void {
  const command = withReason(writeCommand(group.command('pause')))
    .description(
      'Pause the payments of a rail, or of one partner. New payouts are refused at once, and what waits is not sent. Payments that the bank has continue.',
    )
    .addOption(new Option('--rail <rail>', 'pause this rail for all its partners').choices(rails).conflicts('partner'))
    .option('--partner <partner>', 'pause this partner (slug or id)')
    .addOption(
      new Option('--environment <environment>', 'only this environment of the partner; without it, both')
        .choices(['live', 'sandbox'])
        .conflicts('rail'),
    )
    .addOption(
      new Option('--cause <cause>', 'why the partner is paused; partner_paused without it')
        .choices(partnerCauses)
        .conflicts('rail'),
    )
    .action(pause);
  addHelp(command, {
    example: 'kelpie-admin rails pause --rail provider_production --reason "rate is wrong, ticket 812"',
    prints: 'What is blocked, the block’s id and the audit log entry.',
  });
}

/** Blocks that end by another act, and which. */
const ownActs = new Map([
  ['suspended', 'kelpie-admin partners activate'],
  ['screening', 'kelpie-admin partners screening --result clear'],
  ['recovery', 'kelpie-admin recovery open'],
]);

async function readBlock(text: string): Promise<PaymentBlockRow> {
  const id = idFrom(text);
  const block = id === undefined ? null : await look(async (tx) => findBlock(tx, id));
  if (block === null)
    throw new OperatorError(
      `No block in force has the id ${text}. \`kelpie-admin rails list\` shows them.`,
      'not_found',
    );
  const own = ownActs.get(block.cause);
  if (own !== undefined)
    throw new OperatorError(`A block with cause ${block.cause} is lifted with \`${own}\`. Nothing changed.`);
  return block;
}

async function resume(text: string, options: WithReason): Promise<void> {
  const block = await readBlock(text);
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'rail.resume',
      subject: block.id,
      revision: null,
      detail: { cause: block.cause, covers: describeScope(block), reason: options.reason },
      what: `lift the block of ${describeScope(block)} (${block.cause}: ${block.reason})`,
    }),
  );
}

/** What an approval of `rails resume` does. */
export const blockLifting: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject }, { clock }) {
    const block = await readBlock(subject).catch((error: unknown) => {
      if (error instanceof OperatorError && error.code === 'not_found')
        throw new ActMoved(`Block ${subject} is no longer in force.`);
      throw error;
    });
    return {
      async perform(tx) {
        if (!(await liftBlock(tx, { id: subject, proposalId, at: clock.now() })))
          throw new ActMoved(`Block ${subject} is no longer in force.`);
        const sentence = `Lifted the block of ${describeScope(block)} (${block.cause}). Other blocks stay: \`kelpie-admin rails list\`.`;
        return { sentence, shown: { cause: block.cause, covers: describeScope(block) } };
      },
    };
  },
};

function addResume(group: Command): void {
  const command = withReason(writeCommand(group.command('resume')))
    .argument('<block>', 'block id, from `rails list`')
    .description('Propose to lift a block, for another operator to approve. What waited is sent once no block is left.')
    .action(resume);
  addHelp(command, {
    example: 'kelpie-admin rails resume 8c4c9b1e-6a35-4c7e-9d0b-1f3f6f6f2a11 --reason "rate confirmed, ticket 812"',
    prints: 'What approval lifts, the proposal and the audit log entry.',
  });
}

export function addRailCommands(kelpie: Command): void {
  const group = kelpie.command('rails').description('Show, pause and resume payments, of a rail or a partner.');
  addList(group);
  addPause(group);
  addResume(group);
  addGroupHelp(group, {
    about:
      'Stopping takes one operator, lifting two. A block is in force in the commit that creates a payout, so every process sees it at once.',
    example: 'kelpie-admin rails list',
  });
}
