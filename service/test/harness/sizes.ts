/** Whether a test shows what it shows as often as it is promised to. That takes minutes, so the check does a fifth of it. */
const isWhole = process.env['TESTS_AT_SIZE'] === '1';

/** How often to do what is promised for so many: all of them with `npm run test:at-size`, a fifth in `npm test`. */
export function atSize(promised: number): number {
  return isWhole ? promised : Math.ceil(promised / 5);
}
