import type { Call } from '../../platform/database/single-call.ts';

/** Erases people from payouts that are six years old, for `eraseInRounds`. */
export const eraseOldPayouts: Call = {
  name: 'erase_old_payouts',
  text: 'select kelpie.erase_old_payouts($1, $2) as is_more_left',
  writes: true,
};
