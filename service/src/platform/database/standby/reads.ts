import type { PoolClient } from 'pg';
import { inDatabaseSpan } from '../../spans.ts';
import { callIn, callForTextsIn, type Call, type SingleCalls } from '../single-call.ts';
import type { Standby } from './standby.ts';

/** For store functions that only read: what the standby does not answer, the primary does. */
export interface Reads {
  /** For answers that a caller gets within two seconds. */
  reads: SingleCalls;
  /** For files and what is added up over a month, which may take longer. */
  fileReads: SingleCalls;
}

/** Both leave the primary half of the time that the caller has. */
const withinMs = { reads: 1_000, fileReads: 7_000 };

function readsWithin(primary: SingleCalls, standby: Standby, ms: number): SingleCalls {
  const ask = async <Row>(
    { name, writes }: Call,
    work: (client: PoolClient) => Promise<{ rows: Row[] }>,
    askPrimary: () => Promise<Row[]>,
  ): Promise<Row[]> => {
    if (writes === true) throw new Error(`${name} writes, and was called as a read`);
    const answered = await inDatabaseSpan(`${name} on standby`, async () => standby.ask(work, ms));
    return answered === null ? askPrimary() : answered.result.rows;
  };
  return {
    writeGate: primary.writeGate,
    rowMacs: primary.rowMacs,
    call: async <Row extends object>(call: Call, values: readonly unknown[]) =>
      ask<Row>(
        call,
        async (client) => callIn<Row>(client, call, values),
        async () => primary.call<Row>(call, values),
      ),
    callForTexts: async <Columns extends (string | null)[]>(call: Call, values: readonly unknown[]) =>
      ask<Columns>(
        call,
        async (client) => callForTextsIn<Columns>(client, call, values),
        async () => primary.callForTexts<Columns>(call, values),
      ),
  };
}

/** Without a standby, the primary answers everything. */
export function createReads(primary: SingleCalls, standby: Standby | null): Reads {
  if (standby === null) return { reads: primary, fileReads: primary };
  return {
    reads: readsWithin(primary, standby, withinMs.reads),
    fileReads: readsWithin(primary, standby, withinMs.fileReads),
  };
}
