import type { Bank, BankRecords } from '../../banks/index.ts';
import type { Rail } from '../../partners/index.ts';

/** The bank behind each rail; null where none is configured. */
export type Banks = Readonly<Record<Rail, (Bank & Partial<BankRecords>) | null>>;

export function bankOf(banks: Banks, rail: Rail): Bank & Partial<BankRecords> {
  const bank = banks[rail];
  if (bank === null) throw new Error(`no bank is configured for the rail ${rail}`);
  return bank;
}
