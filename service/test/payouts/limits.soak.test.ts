import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../harness/database.ts';
import { simulateCaps } from '../simulate/caps.ts';

// The simulation of the daily limits, and that it finds what it is there to find: a judge that was made blind on purpose.

async function simulate(plant: string | null, say: (text: string) => void): Promise<string[]> {
  const database = await createTestDatabase();
  if (plant !== null) await asAdmin(database.superuserUrl, async (client) => client.query(plant));
  const { violations } = await simulateCaps({ database, seconds: 15, seed: 7, seeds: 1, say });
  return violations;
}

/** Changes a function where it stands. */
function replaced(name: string, from: string, to: string): string {
  return `do $plant$ declare source text; begin
    select pg_get_functiondef(p.oid) into source from pg_proc p where p.proname = '${name}';
    if position($from$${from}$from$ in source) = 0 then raise exception 'nothing to replace'; end if;
    execute replace(source, $from$${from}$from$, $to$${to}$to$);
  end $plant$`;
}

test('faults 68: 200 callers on three killed apis never pass a limit, and none is refused that fits', async (t) => {
  assert.deepEqual(await simulate(null, (text) => t.diagnostic(text)), []);
});

const withoutGuard = 'alter table kelpie.daily_spending drop constraint daily_spending_within_limit';
const holes: readonly [what: string, plant: string, finds: RegExp][] = [
  [
    'limits that are not judged at all',
    `${withoutGuard}; ${replaced('judge_limits', 'if is_within is not false then', 'if true then')}`,
    / brings (daily|key|payee).* over /,
  ],
  [
    'a limit that refuses what would just fit',
    replaced('judge_limits', 'if rest < amounts_pence[place] and', 'if rest < amounts_pence[place] + 500000 and'),
    /were refused with .* at no moment/,
  ],
  [
    'what was never sent and is not given back',
    replaced('give_back_spending', 'spent_pence = s.spent_pence - back.pence', 'spent_pence = s.spent_pence'),
    /is counted as|were refused/,
  ],
];
for (const [what, plant, finds] of holes) {
  test(`the simulation finds ${what}`, async (t) => {
    const violations = await simulate(plant, (text) => t.diagnostic(text));
    assert(
      violations.some((violation) => finds.test(violation)),
      violations.slice(0, 5).join('\n') || 'no violation',
    );
  });
}
