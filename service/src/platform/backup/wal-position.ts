// Names of WAL segments: eight hexadecimal digits each for the timeline, the upper and the lower half of a position.

export interface WalSegment {
  timeline: number;
  /** The position of its first byte. */
  start: bigint;
}

const halfBytes = 0x1_0000_0000n;

export function parseSegment(name: string, segmentBytes: bigint): WalSegment | undefined {
  const [, timeline, upper, lower] = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/.exec(name) ?? [];
  if (timeline === undefined || upper === undefined || lower === undefined) return undefined;
  const start = BigInt(`0x${upper}`) * halfBytes + BigInt(`0x${lower}`) * segmentBytes;
  return { timeline: Number.parseInt(timeline, 16), start };
}

function digits(value: bigint): string {
  return value.toString(16).toUpperCase().padStart(8, '0');
}

export function nameSegment({ timeline, start }: WalSegment, segmentBytes: bigint): string {
  return `${digits(BigInt(timeline))}${digits(start / halfBytes)}${digits((start % halfBytes) / segmentBytes)}`;
}

export function segmentAfter(name: string, segmentBytes: bigint): string | undefined {
  const segment = parseSegment(name, segmentBytes);
  if (segment === undefined) return undefined;
  return nameSegment({ ...segment, start: segment.start + segmentBytes }, segmentBytes);
}

export interface Replay {
  /** The end of the last record that was replayed. */
  position: bigint;
  /** The timeline that recovery began at its end: one above all that it knew of. */
  newTimeline: number;
  segmentBytes: bigint;
}

/** Whether recovery read the newest segment of the archive. It ends without an error at a segment that is missing. */
export function hasReplayed({ position, newTimeline, segmentBytes }: Replay, newestWal: string): boolean {
  const newest = parseSegment(newestWal, segmentBytes);
  return newest !== undefined && position > newest.start && newTimeline > newest.timeline;
}
