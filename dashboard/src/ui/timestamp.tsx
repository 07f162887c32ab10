import { formatDate, formatTimestamp, formatSecond, formatUtc } from '../format/time.ts';

const forms = { date: formatDate, minute: formatTimestamp, second: formatSecond };

/** London time; UTC on hover. */
export function Timestamp({ at, to = 'minute' }: { at: string; to?: keyof typeof forms }) {
  const instant = new Date(at);
  return (
    <time dateTime={at} title={formatUtc(instant)} className="figures">
      {forms[to](instant)}
    </time>
  );
}
