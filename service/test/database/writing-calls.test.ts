import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';

function filesOf(pattern: string): { file: string; text: string }[] {
  return globSync(pattern, { cwd: projectFolder }).map((file) => ({
    file,
    text: readFileSync(path.join(projectFolder, file), 'utf8'),
  }));
}

const changes = /\b(?:insert into|update|delete from)\s+kelpie\./;
/** Its commit does not wait for the standby. */
const doesNotWait = /set_config\('synchronous_commit', 'off', true\)/;
/** Writes a block only where the database was restored, and buckets that are in no write-ahead log. */
const exempt = new Set(['compare_heartbeat', 'sweep_rate_buckets']);

/** The functions that change a table of ours themselves, and whose commit waits for the standby. */
const writing = filesOf('service/database/functions/*/*.sql')
  .filter(({ text }) => changes.test(text) && !doesNotWait.test(text))
  .map(({ file }) => path.basename(file, '.sql'))
  .filter((name) => !exempt.has(name));

/** What a store calls by a statement of its own, and whether it says that it writes. */
const calls = filesOf('service/src/**/*.ts').flatMap(({ text }) =>
  [
    ...Array.from(text.matchAll(/\{\s*name: '(\w+)',\s*text:(?:\$\{[^}]*\}|[^}])*\}/g), ([call, name = '']) => ({
      name,
      writes: call.includes('writes: true'),
    })),
    ...Array.from(text.matchAll(/\b(functionCall|writingCall)\('(\w+)'/g), ([, kind, name = '']) => ({
      name,
      writes: kind === 'writingCall',
    })),
  ].filter(({ name }) => name !== ''),
);

test('every call of a function that writes says so, so that it is refused while no write can be confirmed', () => {
  assert(calls.length > 40 && writing.length > 20, 'hardly any was found');
  const unsaid = calls.filter(({ name, writes }) => writing.includes(name) && !writes).map(({ name }) => name);
  assert.deepEqual(unsaid, []);
});

test('what finds the caller of every request can write nothing, so that a replica can serve it', () => {
  for (const name of ['access/identify_api_key', 'access/find_session'])
    // The server refuses any change inside a function that is stable.
    assert.match(
      readFileSync(path.join(projectFolder, `service/database/functions/${name}.sql`), 'utf8'),
      /language plpgsql stable/,
    );
});

test('no read says that it writes: reads are served while no write can be confirmed', () => {
  const reads = new Set(['identify_api_key', 'find_session', 'lease_tokens', 'list_payouts', 'find_payout']);
  assert.deepEqual(
    calls.filter(({ name, writes }) => writes && reads.has(name)),
    [],
  );
});
