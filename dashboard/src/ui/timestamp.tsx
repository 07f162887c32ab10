import { showDate, showTimestamp, showSecond, showUtc } from '../format/time.ts';

const forms = { date: showDate, minute: showTimestamp, second: showSecond };

/** In the zone of whoever looks; UTC on hover. */
export function Timestamp({ at, to = 'minute' }: { at: string; to?: keyof typeof forms }) {
  const instant = new Date(at);
  return (
    <time dateTime={at} title={showUtc(instant)} className="figures">
      {forms[to](instant)}
    </time>
  );
}
