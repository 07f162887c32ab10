// An api like any other, but without what its first argument names: to measure what that costs.
import { parseArgs } from 'node:util';
import { serveApi } from '../src/app/serve-api.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const without = new Set(positionals[0]?.split('+'));

const noRecorder = { record: () => undefined, flush: async () => undefined, stop: async () => undefined };
const noLimit = { take: () => ({ kind: 'unknown' as const }) };

await serveApi({
  ...(without.has('activity') ? { recorder: noRecorder } : {}),
  ...(without.has('limits')
    ? {
        limits: {
          requests: noLimit,
          payouts: noLimit,
          invitations: noLimit,
          mailboxes: noLimit,
          signUps: noLimit,
          accountChanges: noLimit,
          open: noLimit,
        },
      }
    : {}),
});
