import type { Call } from '../platform/database/single-call.ts';

/** Erases who sent a top-up that is six years old, for `eraseInRounds`. */
export const eraseOldSenders: Call = {
  name: 'erase_old_senders',
  text: 'select kelpie.erase_old_senders($1, $2) as is_more_left',
  writes: true,
};
