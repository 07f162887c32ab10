import type { Agent } from 'undici';
import type { BridgeSettings } from './client.ts';

/** Whether the bank can be reached, accepts our key, and has our time. */
export type BankProbe =
  | { kind: 'accepted'; date: Date | null }
  | { kind: 'key_refused'; date: Date | null }
  | { kind: 'unexpected'; status: number; date: Date | null }
  | { kind: 'unreachable'; reason: string };

function dateIn(header: string | string[] | undefined): Date | null {
  const at = new Date(typeof header === 'string' ? header : Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
}

/** Reads an exchange rate, which changes nothing and names no partner. */
export async function probeBridge(
  agent: Agent,
  { url, apiKey }: Pick<BridgeSettings, 'url' | 'apiKey'>,
  signal: AbortSignal,
): Promise<BankProbe> {
  const { origin, pathname } = new URL(url);
  try {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: `${pathname.replace(/\/$/, '')}/exchange_rates?from=usd&to=gbp`,
      method: 'GET',
      headers: { 'api-key': apiKey, accept: 'application/json' },
      signal,
    });
    await body.dump();
    const date = dateIn(headers['date']);
    if (statusCode === 200) return { kind: 'accepted', date };
    return statusCode === 401 || statusCode === 403
      ? { kind: 'key_refused', date }
      : { kind: 'unexpected', status: statusCode, date };
  } catch (error) {
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}
