import { readFile, rename, writeFile } from 'node:fs/promises';
import { isStatusRecord, type StatusRecord } from './record.ts';

/** What was read of the database, and when. */
export interface KeptStatus {
  readAt: Date;
  record: StatusRecord;
}

const mostBytes = 1024 * 1024;

function keptFrom(text: string): KeptStatus | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('read_at' in value) || !('record' in value)) return null;
  const { read_at, record } = value;
  const readAt = new Date(typeof read_at === 'string' ? read_at : Number.NaN);
  return Number.isNaN(readAt.getTime()) || !isStatusRecord(record) ? null : { readAt, record };
}

/** Null where there is none, or where it holds something else: then the page does without. */
export async function readStatusFile(file: string): Promise<KeptStatus | null> {
  try {
    const text = await readFile(file, 'utf8');
    return text.length > mostBytes ? null : keptFrom(text);
  } catch {
    return null;
  }
}

/** A reader sees the old file or the new one. It is only a copy, so it need not outlast a power failure. */
export async function writeStatusFile(file: string, { readAt, record }: KeptStatus): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, JSON.stringify({ read_at: readAt.toISOString(), record }), { mode: 0o600 });
  await rename(aside, file);
}
