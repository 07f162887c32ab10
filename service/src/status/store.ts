import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import { components, type Component, type Level } from './components.ts';
import { isStatusRecord, type StatusRecord } from './record.ts';

const readCall: Call = { name: 'read_status', text: 'select kelpie.read_status($1) as status' };

export async function readStatus(calls: SingleCalls, at: Date): Promise<StatusRecord> {
  const [row] = await calls.call<{ status: unknown }>(readCall, [at]);
  if (!isStatusRecord(row?.status)) throw new Error('the database returned no status record');
  return row.status;
}

const recordCall: Call = {
  name: 'record_status',
  text: 'select kelpie.record_status($1, $2, $3)',
  writes: true,
};

export async function recordStatus(
  calls: SingleCalls,
  at: Date,
  levels: Readonly<Record<Component, Level>>,
): Promise<void> {
  await calls.call(recordCall, [at, components, components.map((component) => levels[component])]);
}
