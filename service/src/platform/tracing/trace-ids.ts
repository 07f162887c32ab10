/** A trace has the id of the request that began it, which is that of the payout, too, if the request created one. */
export function traceIdOf(id: string): string {
  return id.replaceAll('-', '');
}

/** The id of the span that the others of a trace hang on. Its first bits are the variant of the UUID, so it is never zero. */
export function rootSpanIdOf(id: string): string {
  return traceIdOf(id).slice(16);
}

/** As many of an id's random bits as a number holds exactly. */
const countedBits = 52;

/**
 * Whether an id is sampled: by its random bits alone, so that every process decides the same and none has to pass it on. It
 * goes by the bits that OpenTelemetry's samplers go by.
 */
export function createSampling(ratio: number): (id: string) => boolean {
  const from = (1 - ratio) * 2 ** countedBits;
  return (id) => Number.parseInt(id.slice(-15, -13) + id.slice(-12, -1), 16) >= from;
}
