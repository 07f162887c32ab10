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
  /** What was asked for, and why. Never a secret, nor anybody's bank details. */
  detail: Readonly<Record<string, string | number | null>>;
}

/** Where an act stands in the log: who keeps this elsewhere can prove later that it was there. */
export interface WrittenAct {
  seq: bigint;
  mac: string;
}

export interface AuditDeps {
  chain: AuditChain;
  clock: Clock;
  /** By which an operator vouches for a transaction of the service's role; null where it is the operator's own. */
  voucher: Buffer | null;
}

/**
 * Notes an act in its own transaction, before it is done: the database refuses one that is not noted. The end of the log is
 * this transaction's until it commits, so acts come one after the other.
 *
 * Nothing is added to an end that was not written with this key. With a wrong key the log would never verify again; and where
 * somebody cut off a tail and moved the end, or emptied the log, the next row would make that end a good one.
 */
export async function writeAct(tx: Transaction, deps: AuditDeps, act: Act): Promise<WrittenAct> {
  const head = await lockHead(tx, deps.voucher);
  switch (endOf(deps.chain, head)) {
    case 'own':
      return addRow(tx, deps, { head, act });
    case 'none':
      throw new OperatorError(
        'Nothing was done: the operators’ log has no beginning. On a new installation, write it first: `kelpie-admin audit begin`. On any other, somebody has emptied the log: docs/operating.md tells what to do.',
        'audit_broken',
      );
    case 'foreign':
      throw new OperatorError(
        'Nothing was done: the operators’ log does not end as this KELPIE_AUDIT_KEY would have ended it. Either it is another key, or somebody has changed the log: `kelpie-admin audit verify` tells which, and docs/operating.md what to do.',
        'audit_broken',
      );
  }
}

type LockedHead = AuditHead & { tx: string };

/** Whatever the end is: whoever calls this has looked at it. */
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
