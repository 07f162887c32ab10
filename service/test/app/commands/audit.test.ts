import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { beginAudit } from '../../../src/platform/audit/begin-audit.ts';
import { createAuditChain, type Anchor } from '../../../src/platform/audit/chain.ts';
import { verifyAudit, type AuditVerification } from '../../../src/platform/audit/verify-audit.ts';
import { vouching } from '../../../src/platform/audit/vouching.ts';
import { writeAct, type WrittenAct } from '../../../src/platform/audit/write-act.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openPool } from '../../../src/platform/database/pool.ts';
import { inTransaction } from '../../../src/platform/database/transaction.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { createPartners } from '../../harness/partners.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { setPricePlan, setRateFactor, suspendPartner } from '../../../src/partners/index.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const open = (url: string, connections: number) =>
  openPool({ url, connections, applicationName: 'test', logger, pace: 'unhurried' });
const operators = open(database.operatorUrl, 10);
const readers = open(database.readerUrl, 1);
const service = open(database.serviceUrl, 1);
after(async () => {
  for (const pool of [operators, readers, service]) await pool.end();
});
const chain = createAuditChain(Buffer.from(testSecrets.KELPIE_AUDIT_KEY, 'hex'));
const audit = { chain, clock: systemClock, voucher: null };
const [partnerEnvironment] = await createPartners(database, 1);
assert(partnerEnvironment !== undefined);
const { partnerId } = partnerEnvironment;

async function act(subject: string, { with_ = chain } = {}): Promise<WrittenAct> {
  return inTransaction(operators, 'shared', async (tx) =>
    writeAct(
      tx,
      { ...audit, chain: with_ },
      { operator: 'ada@kelpie.example', action: 'partner.limit', subject, detail: { to: 2 } },
    ),
  );
}

async function verify(anchor: Anchor | null = null, with_ = chain): Promise<AuditVerification> {
  return inTransaction(readers, 'shared', async (tx) =>
    verifyAudit(tx, with_, { anchors: anchor === null ? [] : [anchor] }),
  );
}

/** As somebody who owns the machine: the triggers do not hold them. Afterwards all is as it was. */
async function afterPlanting(sql: string, look: () => Promise<void>): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query('create table public.kept_log as table kelpie.audit_log');
    await client.query('create table public.kept_head as table kelpie.audit_head');
    try {
      await client.query(sql);
      await look();
    } finally {
      await client.query(
        `delete from kelpie.audit_log; delete from kelpie.audit_head;
         insert into kelpie.audit_log select * from public.kept_log;
         insert into kelpie.audit_head select * from public.kept_head;
         drop table public.kept_log, public.kept_head`,
      );
    }
  });
}

// Behind the beginning, which every new database has.
for (let n = 0; n < 7; n += 1) await act(`subject-${n}`);

test('a log that nobody has touched verifies, and says where it ends', async () => {
  const { rows, head, differences } = await verify();
  assert.deepEqual([rows, head?.seq, differences], [8, 8n, []]);
});

test('faults 57: an edit of any field of any row is found, and which row it was', async () => {
  const edits = [
    `at = at + interval '1 millisecond'`,
    // Less than our own clocks tell apart.
    `at = at + interval '1 microsecond'`,
    `tx = '3'`,
    `operator = 'eve'`,
    `action = 'partner.suspend'`,
    `subject = 'another'`,
    `detail = '{"to":3}'`,
    `mac = sha256('eve')`,
    `previous_mac = sha256('eve')`,
  ];
  for (const seq of [1, 5, 8]) {
    for (const edit of edits) {
      await afterPlanting(`update kelpie.audit_log set ${edit} where seq = ${seq}`, async () => {
        const { differences } = await verify();
        assert(differences.length > 0, `${edit} of row ${seq} is not found`);
        assert.match(differences.join('; '), new RegExp(`entr(?:y|ies) ${seq}\\b`));
      });
    }
  }
});

test('faults 57: a removed row is found, wherever it stood, and so is a tail that was cut off', async () => {
  for (const [where, expected] of [
    ['seq = 1', /entry 1 is missing/],
    ['seq = 4', /entry 4 is missing/],
    ['seq in (4, 5, 6)', /entries 4 to 6 are missing/],
    ['seq = 8', /should end with entry 8 but ends with entry 7/],
    ['seq > 2', /should end with entry 8 but ends with entry 2/],
    ['true', /should end with entry 8 but ends with entry 0/],
  ] as const) {
    await afterPlanting(`delete from kelpie.audit_log where ${where}`, async () => {
      assert.match((await verify()).differences.join('; '), expected);
    });
  }
});

const emptied = `delete from kelpie.audit_log;
  update kelpie.audit_head set seq = 0, mac = decode(repeat('00', 32), 'hex'), head_mac = null`;

test('a log that was emptied whole, its end put back to what it was before the first row, is found without an anchor', async () => {
  await afterPlanting(emptied, async () => {
    const { rows, differences } = await verify();
    assert.equal(rows, 0);
    assert.match(differences.join('; '), /is empty/);
    // The next act would be the first of a log that is whole.
    await assert.rejects(act('after all is gone'), { code: 'audit_broken', message: /is empty/ });
  });
});

async function begin(after_: Anchor | null, with_ = chain): Promise<WrittenAct> {
  return inTransaction(operators, 'shared', async (tx) =>
    beginAudit(tx, { ...audit, chain: with_ }, { operator: 'ada@kelpie.example', reason: 'a test', after: after_ }),
  );
}

test('a beginning is written once, and none is taken from another key', async () => {
  await assert.rejects(begin(null), { code: 'nothing_to_do' });
  await afterPlanting(emptied, async () => {
    await assert.rejects(begin({ seq: 8n, mac: 'aa'.repeat(32) }), /is empty/);
    assert.equal((await begin(null)).seq, 1n);
    assert.deepEqual((await verify()).differences, []);
    await assert.rejects(begin(null), { code: 'nothing_to_do' });
    await assert.rejects(begin(null, createAuditChain(Buffer.alloc(32, 8))), { code: 'audit_broken' });
  });
});

test('rows that changed places, or were numbered anew over a gap, are found', async () => {
  const swap = `update kelpie.audit_log set seq = -seq where seq in (3, 6);
    update kelpie.audit_log set seq = case seq when -3 then 6 else 3 end where seq < 0`;
  const closeGap = `delete from kelpie.audit_log where seq = 4;
    update kelpie.audit_log set seq = 1 - seq where seq > 4; update kelpie.audit_log set seq = -seq where seq < 0;
    update kelpie.audit_head set seq = 7`;
  for (const sql of [swap, closeGap]) {
    await afterPlanting(
      `alter table kelpie.audit_log drop constraint if exists audit_log_seq_check; ${sql}`,
      async () => {
        assert.match((await verify()).differences.join('; '), /was changed/);
      },
    );
  }
});

test('a made-up row, and an end that was moved without the key, are found', async () => {
  const added = `insert into kelpie.audit_log (seq, at, operator, action, subject, detail, previous_mac, mac)
    select 9, now(), 'eve', 'partner.limit', 'x', '{}', mac, sha256('eve') from kelpie.audit_log where seq = 8`;
  for (const [sql, expected] of [
    [added, /entry 9 was changed/],
    [
      `delete from kelpie.audit_log where seq = 8; update kelpie.audit_head h set seq = 7, mac = l.mac from kelpie.audit_log l where l.seq = 7`,
      /record of the log’s end was changed/,
    ],
    ['delete from kelpie.audit_head', /record of the log’s end is missing/],
    ['update kelpie.audit_head set head_mac = null', /was changed/],
  ] as const) {
    await afterPlanting(sql, async () => assert.match((await verify()).differences.join('; '), expected));
  }
});

test('a tail that was cut off with an old note of its end shows by what was kept elsewhere', async () => {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('create table public.old_head as table kelpie.audit_head'),
  );
  const { seq, mac } = await act('the last');
  const anchor = { seq, mac };
  assert.deepEqual((await verify(anchor)).differences, []);
  const rewind = `delete from kelpie.audit_log where seq = ${seq};
    delete from kelpie.audit_head; insert into kelpie.audit_head select * from public.old_head`;
  await afterPlanting(rewind, async () => {
    assert.deepEqual((await verify()).differences, [], 'this is what no chain can show');
    assert.match((await verify(anchor)).differences.join('; '), /entry 9, which has an anchor, is missing/);
  });
});

const anotherKey = createAuditChain(Buffer.alloc(32, 8));

test('with another key nothing verifies, and it is said that it is the key', async () => {
  const { rows, differences } = await verify(null, anotherKey);
  assert.equal(differences.length, 1);
  assert.match(differences.join(), new RegExp(`none of the ${rows} entries was written with this KELPIE_AUDIT_KEY`));
});

test('nothing is added with another key, nor to an end that was moved: either would hide what was cut off', async () => {
  const { rows } = await verify();
  const broken = { name: 'OperatorError', code: 'audit_broken' };
  await assert.rejects(act('with another key', { with_: anotherKey }), broken);
  const cut = `delete from kelpie.audit_log where seq = ${rows};
    update kelpie.audit_head h set seq = l.seq, mac = l.mac from kelpie.audit_log l where l.seq = ${rows - 1}`;
  await afterPlanting(cut, async () => {
    await assert.rejects(act('after the cut'), broken);
    assert.match((await verify()).differences.join(), /record of the log’s end was changed/);
  });
  const { rows: after_, differences } = await verify();
  assert.deepEqual([after_, differences], [rows, []]);
});

test('a row that has no place of its own is found: a number twice, or none that counts', async () => {
  const unlocked = `alter table kelpie.audit_log drop constraint if exists audit_log_pkey;
    alter table kelpie.audit_log drop constraint if exists audit_log_seq_check;`;
  for (const seq of ['seq', '-seq', '0']) {
    const twice = `insert into kelpie.audit_log (seq, at, operator, action, subject, detail, previous_mac, mac, tx)
      select ${seq}, at, operator, action, subject, detail, previous_mac, mac, tx from kelpie.audit_log where seq = 3`;
    await afterPlanting(`${unlocked} ${twice}`, async () =>
      assert.notDeepEqual((await verify()).differences, [], `a row with the number ${seq} is not found`),
    );
  }
});

test('what is wrong is told up to a hundred things, however much it is', async () => {
  const many = `insert into kelpie.audit_log (seq, at, operator, action, subject, detail, previous_mac, mac)
    select 1000 + n, now(), 'eve', 'partner.limit', 'x', '{}', sha256('a'), sha256('b') from generate_series(1, 3000) n`;
  await afterPlanting(many, async () => {
    const { rows, differences } = await verify();
    assert(rows > 3_000);
    assert.equal(differences.length, 100);
  });
});

test('acts at the same moment come one after the other, without a gap', async () => {
  const before = await verify();
  await Promise.all(Array.from({ length: 20 }, async (_, n) => act(`at once ${n}`)));
  const { rows, differences } = await verify();
  assert.deepEqual([rows, differences], [before.rows + 20, []]);
});

test('an act that fails leaves no row, and its number to the next', async () => {
  const before = await verify();
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) => {
      await writeAct(tx, audit, { operator: 'ada@kelpie.example', action: 'partner.limit', subject: 'x', detail: {} });
      throw new Error('it went wrong');
    }),
    /it went wrong/,
  );
  assert.equal((await act('next')).seq, BigInt(before.rows) + 1n);
  assert.deepEqual((await verify()).differences, []);
});

test('the database refuses an act that its own transaction has not noted, or noted as another', async () => {
  const refused = /not in the log/;
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) => suspendPartner(tx, partnerId, 'active')),
    refused,
  );
  await act(partnerId);
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) => setRateFactor(tx, partnerId, 2)),
    refused,
  );
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) =>
      setPricePlan(tx, partnerEnvironment, { plan: 'standard-1', at: new Date() }),
    ),
    refused,
  );
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) => {
      await writeAct(tx, audit, {
        operator: 'ada@kelpie.example',
        action: 'partner.limit',
        subject: partnerId,
        detail: {},
      });
      return suspendPartner(tx, partnerId, 'active');
    }),
    refused,
  );
});

test('who changed a price plan is whom the log names', async () => {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.price_plans (id, fixed_pence, basis_points, bank_fixed_pence, bank_basis_points, created_at)
       values ('volume-9', 80, 80, 50, 50, now())`,
    ),
  );
  await inTransaction(operators, 'shared', async (tx) => {
    await writeAct(tx, audit, {
      operator: 'ada@kelpie.example',
      action: 'partner.price_plan',
      subject: partnerId,
      detail: {},
    });
    const outcome = await setPricePlan(tx, partnerEnvironment, { plan: 'volume-9', at: systemClock.now() });
    assert.equal(outcome, 'changed');
  });
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ by: string }>('select by from kelpie.price_plan_changes where partner_id = $1', [partnerId]),
  );
  assert.deepEqual(rows.at(-1), { by: 'ada@kelpie.example' });
});

const recorded = { operator: 'ada@kelpie.example', action: 'job.retry', subject: 'a job', detail: {} };

async function addAsService(voucher: Buffer | null): Promise<WrittenAct> {
  return inTransaction(service, 'shared', async (tx) => writeAct(tx, { ...audit, voucher }, recorded));
}

test('the service adds to the log only while an operator vouches for that very act', async () => {
  const before = await verify();
  const refused = /no operator vouches/;
  await assert.rejects(addAsService(null), refused);
  await assert.rejects(addAsService(randomBytes(32)), refused);
  // By itself it can't even lock the end, nor vouch for itself.
  for (const sql of [
    'select from kelpie.lock_audit_head(null)',
    `select from kelpie.vouch_for_act('eve'), kelpie.lock_audit_head('eve')`,
    `select kelpie.append_audit(9, now(), 'ada', 'partner.limit', 'x', '{}', sha256('a'), sha256('b'), sha256('c'), 'eve')`,
  ])
    await assert.rejects(
      inTransaction(service, 'shared', async (tx) => tx.query(sql)),
      refused,
      sql,
    );
  let used: Buffer | null = null;
  const { seq } = await vouching(operators, async (voucher) => {
    used = voucher;
    await assert.rejects(addAsService(randomBytes(32)), refused, 'with another voucher');
    return addAsService(voucher);
  });
  await assert.rejects(addAsService(used), refused, 'once it is over');
  assert.equal(seq, BigInt(before.rows) + 1n);
  assert.deepEqual((await verify()).differences, []);
});

test('faults 62: the database refuses an entry in the name of another operator, and any of a login that is no operator', async () => {
  const before = await verify();
  const asGrace = { operator: 'grace@kelpie.example', action: 'partner.limit', subject: 'x', detail: {} };
  const another = /in the name of another operator/;
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) => writeAct(tx, audit, asGrace)),
    another,
  );
  await vouching(operators, async (voucher) =>
    assert.rejects(
      inTransaction(service, 'shared', async (tx) => writeAct(tx, { ...audit, voucher }, asGrace)),
      another,
    ),
  );
  await asAdmin(database.superuserUrl, async (client) =>
    assert.rejects(client.query('select from kelpie.lock_audit_head(null)'), /no operator vouches/),
  );
  assert.equal((await verify()).rows, before.rows);
});

test('an act that an operator vouched for and that fails leaves no row', async () => {
  const before = await verify();
  const failing = vouching(operators, async (voucher) =>
    inTransaction(service, partnerEnvironment, async (tx) => {
      await writeAct(tx, { ...audit, voucher }, recorded);
      throw new Error('it went wrong');
    }),
  );
  await assert.rejects(failing, /it went wrong/);
  assert.equal((await verify()).rows, before.rows);
});

/** As somebody who has the operator's password, and not the key. */
async function addJunk({ at = 'now()', detail = '{}' } = {}): Promise<void> {
  await inTransaction(operators, 'shared', async (tx) =>
    tx.query(
      `select kelpie.append_audit(h.seq + 1, ${at}, session_user, 'partner.limit', 'x', $1, h.mac, sha256('a'), sha256('b'), null)
       from kelpie.lock_audit_head(null) h`,
      [detail],
    ),
  );
}

test('what can not be read is not in the log, whoever wrote it', async () => {
  for (const junk of [{ at: `'infinity'` }, { at: `'290000-01-01'` }, { detail: 'no JSON' }, { detail: '[]' }])
    await assert.rejects(addJunk(junk), /audit_log_|invalid input syntax/, JSON.stringify(junk));
});

test('a row at the end that was written without the key stops all acts, and an operator can go on from it; it is found for ever', async () => {
  const before = await verify();
  await afterPlanting('select', async () => {
    await addJunk();
    await assert.rejects(act('after the junk'), { code: 'audit_broken' });
    const { head, differences } = await verify();
    const junk = `entry ${before.rows + 1}`;
    assert.match(differences.join('; '), new RegExp(`${junk} was changed`));
    assert(head !== null);
    for (const wrong of [null, { seq: head.seq, mac: 'aa'.repeat(32) }])
      await assert.rejects(begin(wrong), { code: 'audit_broken' });
    const { seq } = await begin(head);
    assert.equal((await act('goes on')).seq, seq + 1n);
    const found = (await verify()).differences.join('; ');
    assert.match(found, new RegExp(`${junk} was changed`));
    assert.match(found, new RegExp(`entry ${seq} continues the log after a break`));
    assert.equal((await verify()).differences.length, 2);
  });
});

test('a tail that was cut off before the log was taken up again stays found: the end that it was taken up from is named', async () => {
  const before = await verify();
  const last = before.rows;
  const cut = `delete from kelpie.audit_log where seq = ${last};
    update kelpie.audit_head h set seq = l.seq, mac = l.mac from kelpie.audit_log l where l.seq = ${last - 1}`;
  await afterPlanting(cut, async () => {
    const { head } = await verify();
    await begin(head);
    await act('goes on');
    assert.match((await verify()).differences.join(), new RegExp(`entry ${last} continues the log after a break`));
  });
});

test('the service can not act as an operator does, nor change the log; nor can an operator by itself', async () => {
  const denied = /permission denied/;
  for (const sql of [
    `select kelpie.operator_set_rate_factor('${partnerId}', 9)`,
    `select kelpie.operator_set_status('${partnerId}', 'partner.suspend', 'active', 'suspended')`,
    `update kelpie.partners set rate_factor = 9`,
    `select kelpie.change_price_plan(now(), 'standard-1', 'eve')`,
    `select kelpie.operator_set_price_plan('${partnerId}', 'sandbox', now(), 'standard-1')`,
    `select kelpie.operator_create_price_plan('free', 0, 0, 0, 0, 0, 0, 0, 0, now())`,
    `insert into kelpie.price_plans (id) values ('free')`,
  ]) {
    await assert.rejects(
      inTransaction(service, partnerEnvironment, async (tx) => tx.query(sql)),
      denied,
      sql,
    );
  }
  for (const pool of [service, operators]) {
    for (const sql of [
      `insert into kelpie.audit_log select * from kelpie.audit_log`,
      `update kelpie.audit_log set operator = 'eve'`,
      `delete from kelpie.audit_log`,
      `update kelpie.audit_head set seq = 0`,
    ]) {
      await assert.rejects(
        inTransaction(pool, 'shared', async (tx) => tx.query(sql)),
        denied,
        sql,
      );
    }
  }
  const skipped = `select kelpie.append_audit(99, now(), session_user, 'partner.limit', 'x', '{}', sha256('a'), sha256('b'), sha256('c'), null)`;
  await assert.rejects(
    inTransaction(operators, 'shared', async (tx) => tx.query(skipped)),
    /does not follow/,
  );
  await asAdmin(database.superuserUrl, async (client) => {
    for (const sql of [
      `update kelpie.audit_log set operator = 'eve'`,
      'delete from kelpie.audit_log',
      'truncate kelpie.audit_log',
    ])
      await assert.rejects(client.query(sql), /insert-only/);
  });
});
