import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import type { Attack } from './attempts.ts';
import { createVictim, type Stage, type Victim } from './stage.ts';

// Attacks by one operator, with their own login and the operator's command.

/** Whether the database lets the operator's login do this directly. */
async function isDone({ world }: Stage, sql: string, values: unknown[] = []): Promise<boolean> {
  return asAdmin(world.database.operatorUrl, async (client) => client.query(sql, values)).then(
    ({ rowCount }) => (rowCount ?? 0) > 0,
    () => false,
  );
}

async function isFrozen(stage: Stage, { live }: Victim): Promise<boolean> {
  const paid = await createPayout({ url: stage.apis[0].url, key: live.key }, payoutBody({ amount_gbp: '10.00' }));
  return paid.code === 'partner_not_active';
}

const operatorAlone: Attack = {
  name: 'operator-alone',
  tries: 'one operator thaws a business, raises its limits or makes a stranger its admin, and approves it alone',
  async run(stage, attempts) {
    const { world, sql } = stage;
    const victim = await createVictim(stage);
    const { partnerId, slug } = victim;
    const run = async (...args: string[]) => kelpieAdmin(world.database, [...args, '--json']);
    const because = ['--reason', 'because I want to'];
    const frozen = await run('partners', 'freeze', slug, ...because);
    if (frozen.code !== 0 || !(await isFrozen(stage, victim))) throw new Error(`it is not frozen: ${frozen.said}`);
    const acts = [
      ['partners', 'unfreeze', slug],
      ['limits', 'set', slug, '--highest', '900000.00'],
      ['members', 'restore', slug, 'mallory@evil.example'],
    ];
    for (const act of acts) {
      const proposed = await run(...act, ...because);
      if (proposed.code !== 0) throw new Error(`${act.join(' ')} is not proposed: ${proposed.said}`);
      const [open] = await sql<{ id: string }>(
        'select id from kelpie.proposals where subject = $1 order by id desc limit 1',
        [partnerId],
      );
      const approved = await run('approvals', 'approve', open?.id ?? '');
      attempts.add(
        `${act.join(' ')} approved alone: ${String(valueAt(approved.json(), 'error.code'))}`,
        approved.code === 0,
      );
    }
    const direct = [
      ['select from kelpie.operator_unfreeze_partner(gen_random_uuid(), $1, now())', [partnerId]],
      ['select from kelpie.operator_raise_limit(gen_random_uuid(), $1, now())', [partnerId]],
      ['delete from kelpie.payment_blocks where partner_id = $1', [partnerId]],
      [
        "insert into kelpie.members (partner_id, email, role, created_at) values ($1, 'm@evil.example', 'admin', now())",
        [partnerId],
      ],
    ] as const;
    for (const [statement, values] of direct) attempts.add(statement, await isDone(stage, statement, [...values]));
    attempts.add('it pays again', !(await isFrozen(stage, victim)));
    const strangers = await sql('select from kelpie.members where partner_id = $1 and email like $2', [
      partnerId,
      '%evil%',
    ]);
    attempts.add('a stranger is a member', strangers.length > 0);
    const raised = await sql(
      'select from kelpie.spending_limits where partner_id = $1 and highest_daily_pence > 5000000',
      [partnerId],
    );
    attempts.add('the limit is higher', raised.length > 0);
  },
};

export const operatorAttacks: readonly Attack[] = [operatorAlone];
