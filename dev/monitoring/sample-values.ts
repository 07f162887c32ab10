// Values of a series through a fault, in promtool's notation.

/** `1x39` is 40 samples of 1, `0+15x39` rises by 15 with each, `_` is a gap. */
export type Values = string;

export type Step = '15s' | '1m' | '4m';

/** When the fault begins, in minutes. With a step of 4 minutes it is minute 12. */
export const faultAt = 10;

export interface Spans {
  /** Numbers of samples before the fault and after it. */
  before: number;
  after: number;
  stepSeconds: number;
}

export const spansOf: Readonly<Record<Step, Spans>> = {
  '15s': { before: 4 * faultAt, after: 400, stepSeconds: 15 },
  '1m': { before: faultAt, after: 200, stepSeconds: 60 },
  '4m': { before: 3, after: 900, stepSeconds: 240 },
};
const { '15s': short } = spansOf;
export const { '1m': medium, '4m': long } = spansOf;

/** One value before the fault, another from then on. */
export function turns(good: number | '_', bad: number | '_', { before, after }: Spans = short): Values {
  return `${good}x${before - 1} ${bad}x${after}`;
}

/** A counter with these rates per second. */
export function counts(good: number, bad: number, { before, after, stepSeconds }: Spans = short): Values {
  const reached = good * stepSeconds * before;
  return `0+${good * stepSeconds}x${before - 1} ${reached}+${bad * stepSeconds}x${after}`;
}

/** The time itself, until the fault; then it stands still. */
export function stops({ before, after, stepSeconds }: Spans = short): Values {
  return `0+${stepSeconds}x${before - 1} ${stepSeconds * (before - 1)}x${after}`;
}

/** The time itself, and that many seconds more from the fault on. */
export function jumps(seconds: number, { before, after, stepSeconds }: Spans = short): Values {
  return `0+${stepSeconds}x${before - 1} ${stepSeconds * before + seconds}+${stepSeconds}x${after}`;
}

export function always(value: number, { before, after }: Spans): Values {
  return `${value}x${before + after}`;
}
