import { createKeyedDigest, type KeyedDigest } from '../keyed-digest.ts';

/** One act of an operator, as it is kept. */
export interface AuditRow {
  /** From one on, without gaps. */
  seq: bigint;
  at: Date;
  /** The same instant as the database has it: an edit smaller than a millisecond is one, too. */
  atMicros: bigint;
  operator: string;
  /** As `partner.suspend`. */
  action: string;
  /** The id of what it was done to. */
  subject: string;
  /** JSON, as it was written. */
  detail: string;
  /** The transaction that wrote it. */
  tx: string;
  previousMac: Buffer;
  mac: Buffer;
}

export interface AuditHead {
  seq: bigint;
  mac: Buffer;
  headMac: Buffer | null;
}

/** A row as it can be kept elsewhere: its number and its digest, in hexadecimal digits. */
export interface Anchor {
  seq: bigint;
  mac: string;
}

/** As a command printed it, or as a file has it. */
export function parseAnchor(text: string): Anchor | undefined {
  const [, seq, mac] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined || mac === undefined ? undefined : { seq: BigInt(seq), mac };
}

/** What stands before the first row. */
export const noMac = Buffer.alloc(32);

/** The first row, and one by which somebody took up a log whose end was not ours. */
export const beginAction = 'audit.begin';

/** The digests that chain the rows: nobody makes one without the key, and the database does not have it. */
export interface AuditChain {
  macOf(row: Omit<AuditRow, 'mac' | 'at'>): Buffer;
  /** Of the log's end: by this a tail that was cut off shows. */
  headMacOf(head: Pick<AuditHead, 'seq' | 'mac'>): Buffer;
}

export function createAuditChain(key: Buffer): AuditChain {
  const ofRows: KeyedDigest = createKeyedDigest(key, 'audit rows');
  const ofHeads: KeyedDigest = createKeyedDigest(key, 'audit head');
  return {
    macOf: ({ seq, atMicros, operator, action, subject, detail, tx, previousMac }) =>
      // As a list in JSON: no two rows have the same text, whatever is in their fields.
      ofRows(
        JSON.stringify([
          seq.toString(),
          atMicros.toString(),
          operator,
          action,
          subject,
          detail,
          tx,
          previousMac.toString('hex'),
        ]),
      ),
    headMacOf: ({ seq, mac }) => ofHeads(JSON.stringify([seq.toString(), mac.toString('hex')])),
  };
}

/** What the log ends with: what this chain's key wrote, nothing since there is no row yet, or something else. */
export type AuditEnd = 'own' | 'none' | 'foreign';

export function endOf(chain: AuditChain, { headMac, ...head }: AuditHead): AuditEnd {
  if (headMac !== null) return chain.headMacOf(head).equals(headMac) ? 'own' : 'foreign';
  return head.seq === 0n && head.mac.equals(noMac) ? 'none' : 'foreign';
}
