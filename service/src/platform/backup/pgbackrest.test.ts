import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackupFault } from './backup-fault.ts';
import { newestBackupIn, reasonIn, restoreCommand } from './pgbackrest.ts';

function backup(label: string, stop: number, repositoryKey = 1) {
  return {
    label,
    type: label.endsWith('F') ? 'full' : 'incr',
    database: { id: 1, 'repo-key': repositoryKey },
    timestamp: { start: stop - 5, stop },
    error: false,
    info: { size: 2_000, delta: 10, repository: { size: 500, delta: 10 } },
  };
}

function info(stanza: object): string {
  return JSON.stringify([{ name: 'kelpie', ...stanza }]);
}

const ok = { code: 0, message: 'ok' };

test('the newest backup is the one that finished last, with the WAL of its own repository', () => {
  const found = newestBackupIn(
    info({
      status: ok,
      db: [{ id: 1, 'repo-key': 2, version: '15' }],
      archive: [
        { database: { id: 1, 'repo-key': 1 }, max: '000000010000000000000009' },
        { database: { id: 1, 'repo-key': 2 }, max: '000000010000000000000007' },
      ],
      backup: [backup('20261116-020000F_20261116-030000I', 200, 2)],
    }),
    'kelpie',
  );
  assert.deepEqual(found, {
    label: '20261116-020000F_20261116-030000I',
    type: 'incr',
    finishedAt: new Date(200_000),
    hasErrors: false,
    databaseBytes: 2_000,
    repositoryBytes: 500,
    repositoryKey: 2,
    version: '15',
    newestWal: '000000010000000000000007',
  });
  const db = [{ id: 1, 'repo-key': 1, version: '15' }];
  const several = info({ status: ok, db, backup: [backup('20261116-020000F', 300), backup('20261115-020000F', 100)] });
  const newest = newestBackupIn(several, 'kelpie');
  assert.deepEqual([newest.label, newest.newestWal], ['20261116-020000F', null]);
});

function faultOf(json: string): BackupFault {
  try {
    newestBackupIn(json, 'kelpie');
  } catch (error) {
    if (error instanceof BackupFault) return error;
  }
  return assert.fail('nothing was found');
}

test('a repository without a backup, and one that cannot be read, are findings that say why', () => {
  const none = faultOf(info({ status: { code: 2, message: 'no valid backups' }, backup: [] }));
  assert.deepEqual([none.code, /Take one with/.test(none.message)], ['no_backup', true]);
  const denied = { status: { code: 99, message: "[PathOpenError] unable to list '/x':\n [13] Permission denied" } };
  const unreadable = faultOf(info({ status: { code: 99, message: 'other' }, repo: [denied] }));
  assert.equal(unreadable.code, 'repository_unavailable');
  assert.match(unreadable.message, /unable to list '\/x': \[13\] Permission denied\)/);
  assert.equal(faultOf('[]').code, 'repository_unavailable');
});

test('the reason is one line, without where in pgBackRest it was raised', () => {
  const lines = [
    'P00 ERROR: [105]: raised from local-1 shim protocol: unable to get 05:',
    '    repo1: damaged.',
    'HINT: x',
  ];
  assert.equal(reasonIn(lines), 'unable to get 05: repo1: damaged');
  assert.equal(reasonIn(['LOG: nothing']), undefined);
});

test('a path with a quote or a percent sign stays one word of the restore command', () => {
  const command = restoreCommand(
    { configFile: `/etc/it's 100%.conf`, stanza: 'kelpie', owner: null },
    { data: '/d', locks: '/l' },
  );
  assert(command.includes(String.raw`'--config=/etc/it'\''s 100%%.conf'`), command);
  assert(command.endsWith(`'archive-get' %f "%p"`), command);
});
