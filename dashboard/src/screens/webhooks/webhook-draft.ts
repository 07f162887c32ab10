import type { CreateWebhookRequest, EventType, UpdateWebhookRequest, Webhook } from '@kelpie/sdk';
import type { Environment } from '../../data/kelpie.ts';
import { eventTypes } from '../../format/event-types.ts';

export interface WebhookDraft {
  url: string;
  description: string;
  /** Every event, or those that are chosen. */
  which: 'all' | 'chosen';
  types: readonly EventType[];
}

export const emptyWebhookDraft: WebhookDraft = { url: '', description: '', which: 'all', types: [] };

export type WebhookMistakes = Partial<Record<'url' | 'description' | 'types', string>>;

export function draftOf({ url, description, types }: Webhook): WebhookDraft {
  return {
    url,
    description: description ?? '',
    which: types === null ? 'all' : 'chosen',
    types: eventTypes.filter((type) => types?.includes(type) === true),
  };
}

/** What the page can see by itself. Whether the address is public, the API decides. */
export function webhookMistakes({ url, which, types }: WebhookDraft, environment: Environment): WebhookMistakes {
  const mistakes: WebhookMistakes = {};
  const protocol = URL.parse(url.trim())?.protocol;
  if (protocol === undefined) mistakes.url = 'Enter a URL, such as https://example.com/webhooks.';
  else if (protocol !== 'https:' && !(environment === 'sandbox' && protocol === 'http:'))
    mistakes.url = environment === 'sandbox' ? 'Start with https:// or http://.' : 'Start with https://.';
  if (which === 'chosen' && types.length === 0) mistakes.types = 'Choose at least one event type.';
  return mistakes;
}

/** From a draft without mistakes. */
export function webhookRequest({ url, description, which, types }: WebhookDraft): CreateWebhookRequest {
  const text = description.trim();
  return {
    url: url.trim(),
    description: text === '' ? null : text,
    types: which === 'all' ? null : [...types],
  };
}

/** What an edit changes. Types that are newer than this page stay, unless others are chosen. */
export function webhookChange(webhook: Webhook, request: CreateWebhookRequest): UpdateWebhookRequest {
  const before = webhookRequest(draftOf(webhook));
  const { types, ...others } = request;
  const isSame = JSON.stringify(types) === JSON.stringify(before.types);
  return isSame || types === undefined ? others : { ...others, types };
}

/** The API's field errors, by field of the form. */
export function webhookMistakesFrom(fields: readonly { path: string; rule: string }[]): WebhookMistakes {
  const mistakes: WebhookMistakes = {};
  for (const { path, rule } of fields) {
    const [field] = path.split(/[.[/]/);
    if (field === 'url' || field === 'description' || field === 'types') mistakes[field] = `It ${rule}.`;
  }
  return mistakes;
}
