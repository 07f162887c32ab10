import type { Origin } from '../../platform/origin.ts';

type Fact = readonly [label: string, value: string];

/** Where something was asked from, as far as it is known. Both come from fixed lists: no stranger can put words into an email. */
export function originFacts({ browser, network }: Origin): Fact[] {
  return [
    ...(browser === null ? [] : [['Browser', browser] as const]),
    ...(network === null ? [] : [['Network', network] as const]),
  ];
}
