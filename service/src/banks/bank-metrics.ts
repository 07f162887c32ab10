import { durationBuckets, type Meter } from '../platform/metrics.ts';
import type { HttpExchange } from './http-exchange.ts';

type Environment = 'sandbox' | 'live';

/** What the wire of a bank reports. */
interface BankWatch {
  onCircuit: (purpose: string, isOpen: boolean) => void;
  onExchange: (purpose: string, result: HttpExchange, durationMs: number) => void;
}

/** A circuit is tried again by the next call alone. Without calls it harms none, however long ago the last one failed. */
const openForMs = 60_000;

/** A bank that is asked too much, or gave up waiting, did not refuse what it was asked. */
const unclearStatuses = new Set([408, 425, 429]);

/** `unclear`: it left, and no definite answer came. `unavailable`: it did not leave. */
function outcomeOf(result: HttpExchange): 'ok' | 'refused' | 'unclear' | 'unavailable' {
  if (result.kind === 'not_sent') return 'unavailable';
  if (result.kind === 'lost' || result.status >= 500 || unclearStatuses.has(result.status)) return 'unclear';
  return result.status < 400 ? 'ok' : 'refused';
}

/** Measures the calls to each environment's bank, and whether it is left alone. */
export function createBankMetrics(meter: Meter): (environment: Environment) => BankWatch {
  const openedAt = new Map<Environment, Map<string, number>>();
  const duration = meter.createHistogram('kelpie_bank_request_duration_seconds', {
    description: 'Calls to the bank, with what they waited for their turn',
    advice: durationBuckets,
  });
  meter
    .createObservableGauge('kelpie_bank_breaker_open', { description: '1 while calls to the bank are refused unasked' })
    .addCallback((gauge) => {
      const since = performance.now() - openForMs;
      for (const [environment, circuits] of openedAt)
        gauge.observe([...circuits.values()].some((at) => at > since) ? 1 : 0, { environment });
    });
  return (environment) => {
    const circuits = new Map<string, number>();
    openedAt.set(environment, circuits);
    return {
      onCircuit(purpose, isOpen) {
        if (isOpen) circuits.set(purpose, performance.now());
        else circuits.delete(purpose);
      },
      onExchange: (operation, result, durationMs) =>
        duration.record(durationMs / 1000, { environment, operation, outcome: outcomeOf(result) }),
    };
  };
}
