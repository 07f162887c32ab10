import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/transaction.ts';
import { OperatorError } from '../operator-error.ts';
import { endOf, type AuditChain, type AuditHead, type AuditRow } from './chain.ts';
import { appendRow, lockHead } from './store.ts';

/** What an operator does. */
export interface Act {
  operator: string;
  action: string;
  subject: string;
  /** Parameters and reason. Never secrets or bank details. */
  detail: Readonly<Record<string, string | number | null>>;
}

/** The number and digest of an entry. Saved outside the database, they prove later that it was there. */
export interface WrittenAct {
  seq: bigint;
  mac: string;
}

export interface AuditDeps {
  chain: AuditChain;
  clock: Clock;
  /** Lets a transaction of the service's role record an act; null in the operator's own role. */
  voucher: Buffer | null;
}

/**
 * Records an act in its own transaction, before it happens: the database refuses an act that is not recorded. The lock on the
 * end of the log puts acts in order.
 *
 * Nothing is added after an end that was not written with this key. Otherwise a new entry would hide that the log was cut off
 * or emptied, and a wrong key would break it for good.
 */
export async function writeAct(tx: Transaction, deps: AuditDeps, act: Act): Promise<WrittenAct> {
  const head = await lockHead(tx, deps.voucher);
  switch (endOf(deps.chain, head)) {
    case 'own':
      return addRow(tx, deps, { head, act });
    case 'none':
      throw new OperatorError(
        'Nothing changed: the audit log is empty. On a new installation, run `kelpie-admin audit begin` first. On any other, the log was emptied: stop and investigate.',
        'audit_broken',
      );
    case 'foreign':
      throw new OperatorError(
        'Nothing changed: the end of the audit log does not match KELPIE_AUDIT_KEY. The key is wrong, or the log was changed. Run `kelpie-admin audit verify` to see which.',
        'audit_broken',
      );
  }
}

type LockedHead = AuditHead & { tx: string };

/** The caller has checked the end of the log. */
export async function addRow(
  tx: Transaction,
  { chain, clock, voucher }: AuditDeps,
  { head, act }: { head: LockedHead; act: Act },
): Promise<WrittenAct> {
  const { operator, action, subject } = act;
  const at = clock.now();
  const row: Omit<AuditRow, 'mac'> = {
    seq: head.seq + 1n,
    at,
    atMicros: BigInt(at.getTime()) * 1_000n,
    operator,
    action,
    subject,
    detail: JSON.stringify(act.detail),
    tx: head.tx,
    previousMac: head.mac,
  };
  const mac = chain.macOf(row);
  await appendRow(tx, { row: { ...row, mac }, headMac: chain.headMacOf({ seq: row.seq, mac }), voucher });
  return { seq: row.seq, mac: mac.toString('hex') };
}
