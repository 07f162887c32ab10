const months = 'January February March April May June July August September October November December'.split(' ');

/** As in "5 November 2026 at 09:05 UTC": a mail does not know where it is read. */
export function showInstant(instant: Date): string {
  const time = instant.toISOString().slice(11, 16);
  return `${instant.getUTCDate()} ${months[instant.getUTCMonth()] ?? ''} ${instant.getUTCFullYear()} at ${time} UTC`;
}
