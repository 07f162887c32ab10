/** One JSON line on standard output. Never a key, a name or a bank detail: only what the callers below pass. */
export type Log = (event: string, fields?: Readonly<Record<string, string | number | boolean>>) => void;

/** Said even where the log is silent: whoever started the bank waits for the first, and must not miss the others. */
const alwaysSaid = new Set(['bank.listening', 'bank.failed', 'request.failed', 'loop.failed']);

export function createLog(level: 'info' | 'silent'): Log {
  return (event, fields = {}) => {
    if (level === 'silent' && !alwaysSaid.has(event)) return;
    process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
  };
}
