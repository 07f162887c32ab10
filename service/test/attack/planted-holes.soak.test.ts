import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { attacks } from './attacks.ts';
import { ensureDashboard } from './dashboard.ts';
import { envOf, openInDatabase } from './hole.ts';
import { holes } from './holes.ts';
import { runAttack } from './run-attacks.ts';
import { stageOn, startStage } from './stage.ts';

// Each attack must be able to fail: with its defence taken away, it gets through.

// A hole is planted in a file while it is loaded, so the processes run from source.
process.env['BUILT_PROGRAMS'] = 'no';
ensureDashboard();
const database = await createTestDatabase();
const stage = await startStage({ database, atEnd: after });

for (const attack of attacks) {
  const hole = holes[attack.name];
  if (hole === undefined) continue;
  test(`${attack.name} gets through a hole in ${hole.file}`, async () => {
    const env = envOf(hole);
    const close = await openInDatabase(database, hole);
    // One process is enough: what is raced is raced within it too.
    const api = Object.keys(env).length === 0 ? null : await stage.addApi(env);
    const holed = api === null ? stage : stageOn(stage, [api, api], env);
    try {
      const { through, failure } = await runAttack(holed, attack);
      assert(through.length > 0, `nothing got through: ${failure}`);
    } finally {
      await close();
      await api?.stop();
    }
  });
}
