export const faultPoints = [
  'transfer.create',
  'external_account.create',
  'transfer.read',
  'exchange_rates',
  'kyc_link.create',
  'kyc_link.read',
  'virtual_account.create',
  'liquidation_address.create',
  'deposit.read',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

export const faultKinds = [
  'reject',
  'error_before',
  'error_after',
  'drop_request',
  'drop_reply',
  'delay',
  'delay_reply',
  'truncated',
  'wrong_types',
  'empty',
  'html',
  'take_different',
  'other_reference',
  'other_amount',
  'other_account',
  'no_amounts',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  id: string;
  on: FaultPoint | 'any';
  kind: FaultKind;
  /** How many requests it still meets; null for all, until it is cleared. */
  times: number | null;
  delayMs: number;
  status: number;
  code: string;
  microUsdc: bigint;
}

/** What goes wrong from now on. */
export interface Faults {
  add(fault: Fault): void;
  list(): readonly Fault[];
  clear(): void;
  /** The oldest fault that fits this request, counted; undefined where all goes well. */
  claim(point: FaultPoint | undefined): Fault | undefined;
}

/**
 * They are kept in memory: looking and counting is then one step that no other request can come between, and a restart
 * brings back a bank that works.
 */
export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    add: (fault) => void faults.push(fault),
    list: () => faults,
    clear() {
      faults = [];
    },
    claim(point) {
      const fault = faults.find(({ on }) => on === 'any' || on === point);
      if (fault === undefined || fault.times === null) return fault;
      fault.times -= 1;
      if (fault.times === 0) faults = faults.filter((other) => other !== fault);
      return fault;
    },
  };
}
