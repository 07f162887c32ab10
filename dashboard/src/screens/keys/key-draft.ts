import type { CreateKeyRequest } from '@kelpie/sdk';
import type { Environment } from '../../data/kelpie.ts';
import { amountFrom } from '../../format/money.ts';

export interface KeyDraft {
  label: string;
  scope: 'pay' | 'read';
  /** In days from now; 0 for a key that does not expire. */
  expiresInDays: '0' | '7' | '30' | '90' | '365';
  /** As typed: addresses and ranges between commas, spaces or lines. */
  networks: string;
  dailyLimit: string;
}

export const emptyKeyDraft: KeyDraft = { label: '', scope: 'pay', expiresInDays: '0', networks: '', dailyLimit: '' };

export type KeyMistakes = Partial<Record<keyof KeyDraft, string>>;

const mostNetworks = 10;
const dayMs = 24 * 3_600_000;

function networksIn(typed: string): string[] {
  return typed.split(/[\s,;]+/).filter((network) => network !== '');
}

/** The form of an address or a range. Whether it is one, the API decides. */
const networkForm = /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f.]*:[0-9a-f:.]*)(\/\d{1,3})?$/i;

function networksMistake(typed: string): string | undefined {
  const networks = networksIn(typed);
  const wrong = networks.find((network) => !networkForm.test(network));
  if (wrong !== undefined) return `${wrong} is not an IP address or range, such as 203.0.113.0/24.`;
  return networks.length > mostNetworks ? `Use at most ${mostNetworks} addresses or ranges.` : undefined;
}

export function keyMistakes({ networks, dailyLimit, scope }: KeyDraft): KeyMistakes {
  const mistakes: KeyMistakes = {};
  const wrongNetworks = networksMistake(networks);
  if (wrongNetworks !== undefined) mistakes.networks = wrongNetworks;
  if (scope === 'pay' && dailyLimit.trim() !== '' && amountFrom(dailyLimit) === undefined)
    mistakes.dailyLimit = 'Enter an amount in pounds, such as 500.00.';
  return mistakes;
}

/** From a draft without mistakes. What is left at its default is not sent. */
export function keyRequest(draft: KeyDraft, environment: Environment, nowMs: number): CreateKeyRequest {
  const label = draft.label.trim();
  const networks = networksIn(draft.networks);
  const days = Number(draft.expiresInDays);
  // A key that only reads pays nothing, so a limit says nothing about it.
  const dailyLimit = draft.scope === 'read' ? undefined : amountFrom(draft.dailyLimit);
  return {
    environment,
    ...(label === '' ? {} : { label }),
    ...(draft.scope === 'pay' ? {} : { scope: draft.scope }),
    ...(networks.length === 0 ? {} : { networks }),
    ...(days === 0 ? {} : { expires_at: new Date(nowMs + days * dayMs).toISOString() }),
    ...(dailyLimit === undefined ? {} : { daily_limit_gbp: dailyLimit }),
  };
}

const fieldOfPath: Readonly<Record<string, keyof KeyDraft>> = {
  label: 'label',
  networks: 'networks',
  daily_limit_gbp: 'dailyLimit',
};

/** The API's field errors, by field of the form. A path as networks.0 is about one of the networks. */
export function keyMistakesFrom(fields: readonly { path: string; rule: string }[]): KeyMistakes {
  const mistakes: KeyMistakes = {};
  for (const { path, rule } of fields) {
    const field = fieldOfPath[path.split(/[.[/]/)[0] ?? ''];
    if (field !== undefined) mistakes[field] = `It ${rule}.`;
  }
  return mistakes;
}
