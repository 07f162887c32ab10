import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../harness/database.ts';
import { findBrokenRules } from './schema-rules.ts';

const database = await createTestDatabase();

/** Plants something, looks, and takes it back. */
async function brokenBy(sql: string): Promise<string[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    await client.query('begin');
    await client.query(`set local role kelpie_owner; ${sql}; reset role`);
    return findBrokenRules(client);
  });
}

/** A table that keeps every rule, with parts that a test replaces by something wrong. */
function table(deps: {
  columns?: string;
  comment?: string;
  security?: string;
  policy?: string;
  grants?: string;
  partition?: string;
}): string {
  const {
    columns = 'id uuid primary key, partner_id uuid not null, environment kelpie.environment not null, foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)',
    comment = '@bounded',
    security = 'enable row level security, force row level security',
    policy = 'partner_id = kelpie.current_partner() and environment = kelpie.current_environment()',
    grants = 'grant select, insert on kelpie.planted to kelpie_service',
    partition = '',
  } = deps;
  return `
    create table kelpie.planted (${columns}) ${partition};
    comment on table kelpie.planted is '${comment}';
    ${security === '' ? '' : `alter table kelpie.planted ${security};`}
    ${policy === '' ? '' : `create policy service_own on kelpie.planted to kelpie_service using (${policy});`}
    ${grants}`;
}

test('the schema keeps every rule', async () => {
  assert.deepEqual(await brokenBy('select'), []);
});

test('a table that keeps every rule is not complained about', async () => {
  assert.deepEqual(await brokenBy(table({})), []);
});

test('a table that grows, partitioned by month, is not complained about', async () => {
  const sql = `${table({ comment: '@grows', partition: 'partition by range (id)' })};
    select kelpie.make_month_partition('planted', '2026-11-01')`;
  assert.deepEqual(await brokenBy(sql), []);
});

const violations: [why: string, sql: string, expected: RegExp][] = [
  [
    'says nothing of its growth',
    table({ comment: 'A table.' }),
    /^planted: a table says in its comment whether it grows/,
  ],
  [
    'belongs to nobody and does not say so',
    table({ columns: 'id uuid primary key', policy: 'id = kelpie.current_partner()' }),
    /^planted: a table has the column partner_id/,
  ],
  ['has no row security', table({ security: '' }), /^planted: a table with rows of partners.*enabled and forced/],
  [
    'does not bind its owner to row security',
    table({ security: 'enable row level security' }),
    /^planted: a table with rows of partners.*enabled and forced/,
  ],
  ['has a policy that shows everything', table({ policy: 'true' }), /^planted: what the service's role may see/],
  [
    'lets the service write a row for anybody',
    `${table({})}; create policy service_insert on kelpie.planted for insert to kelpie_service with check (true)`,
    /^planted: what the service's role may see/,
  ],
  [
    'has a policy that is bound and then let loose',
    table({ policy: 'partner_id = kelpie.current_partner() and environment = kelpie.current_environment() or true' }),
    /^planted: what the service's role may see/,
  ],
  [
    'lets the service write for whoever is set',
    `${table({})}; create policy service_insert on kelpie.planted for insert to kelpie_service with check (kelpie.current_partner() is not null)`,
    /^planted: what the service's role may see/,
  ],
  [
    'refers to no partner at all',
    table({ columns: 'id uuid primary key, partner_id uuid not null, environment kelpie.environment not null' }),
    /^planted: a table with rows of partners refers to its partner/,
  ],
  [
    'leaves its environment open',
    table({
      columns:
        'id uuid primary key, partner_id uuid not null references kelpie.partners (id), environment kelpie.environment',
    }),
    /^planted: the environment of a row is never left open/,
  ],
  [
    'is partitioned and does not grow',
    table({ partition: 'partition by range (id)' }),
    /^planted: only a table that grows is partitioned/,
  ],
  [
    'stands in another schema',
    `reset role; create table public.planted_elsewhere (partner_id uuid not null)`,
    /^planted_elsewhere: tables are in the schema kelpie/,
  ],
  [
    'can be written in part by the reading role',
    table({ grants: 'grant update (id) on kelpie.planted to kelpie_reader' }),
    /^planted: the reading role only reads/,
  ],
  ['has no policy', table({ policy: '' }), /^planted: what the service's role may see/],
  [
    'shows one environment to the other',
    table({ policy: 'partner_id = kelpie.current_partner()' }),
    /^planted: a table with an environment is bound to that too/,
  ],
  [
    'refers to another table without the environment',
    table({
      columns:
        'id uuid primary key, partner_id uuid not null, environment kelpie.environment not null, other kelpie.environment, foreign key (partner_id, other) references kelpie.partner_environments (partner_id, environment)',
    }),
    /^planted_partner_id_other_fkey: a reference between rows of partners/,
  ],
  [
    'refers to another table without the partner',
    table({
      columns:
        'id uuid primary key, partner_id uuid not null, environment kelpie.environment not null, other uuid references kelpie.partners (id)',
    }),
    /^planted_other_fkey: a reference between rows of partners/,
  ],
  ['grows in one piece', table({ comment: '@grows' }), /^planted: a table that grows is partitioned/],
  [
    'has a default partition, where rows would pile up unnoticed',
    `${table({ comment: '@grows', partition: 'partition by range (id)' })};
     create table kelpie.planted_month partition of kelpie.planted default;
     alter table kelpie.planted_month enable row level security, force row level security`,
    /^planted: a table that grows is partitioned/,
  ],
  [
    'has a partition that can be read past the table',
    `${table({ comment: '@grows', partition: 'partition by range (id)' })};
     select kelpie.make_month_partition('planted', '2026-11-01');
     grant select on kelpie.planted_2026_11 to kelpie_service`,
    /^planted_2026_11: a partition is reached through its table alone/,
  ],
  [
    'can be emptied by the service',
    table({ grants: 'grant truncate on kelpie.planted to kelpie_service' }),
    /^planted: the service's role can't empty a table/,
  ],
  [
    'can be written by the reading role',
    table({ grants: 'grant insert on kelpie.planted to kelpie_reader' }),
    /^planted: the reading role only reads/,
  ],
  [
    'belongs to another role',
    `${table({})}; reset role; alter table kelpie.planted owner to postgres`,
    /^planted: everything belongs/,
  ],
];

for (const [why, sql, expected] of violations) {
  test(`a table is named that ${why}`, async () => {
    const broken = await brokenBy(sql);
    assert(
      broken.some((line) => expected.test(line)),
      `found only: ${broken.join('; ') || 'nothing'}`,
    );
  });
}

test('faults 44: a role that could pass row security, or has rights by membership, is named', async () => {
  for (const more of [
    'alter role kelpie_service bypassrls',
    'grant kelpie_ledger to kelpie_service',
    'alter role kelpie_owner inherit',
  ]) {
    const broken = await brokenBy(`reset role; ${more}`);
    assert.match(broken.join('; '), /^kelpie_(service|owner): a role has no more than its part/, more);
  }
});

test('a role that could make tables of its own is named', async () => {
  const broken = await brokenBy('grant create on schema kelpie to kelpie_service');
  assert.match(broken.join('; '), /kelpie_service in kelpie: no role but the owner makes anything/);
});

test('a table of the job engine that belongs to the service is named', async () => {
  const broken = await brokenBy('reset role; alter table pgboss.subscription owner to kelpie_service');
  assert.match(broken.join('; '), /subscription: everything belongs to the owner/);
});

test(`a function is named that runs with a superuser's rights`, async () => {
  const broken = await brokenBy(
    `reset role; create function kelpie.planted_function() returns int language sql security definer
       set search_path = pg_catalog, pg_temp return 1;
     revoke all on function kelpie.planted_function() from public`,
  );
  assert.match(broken.join('; '), /^planted_function: a function with its owner's rights/);
});

test(`a function is named that anyone may run with its owner's rights`, async () => {
  const broken = await brokenBy(
    `create function kelpie.planted_function() returns int language sql security definer return 1`,
  );
  assert.match(broken.join('; '), /^planted_function: a function with its owner's rights/);
});
