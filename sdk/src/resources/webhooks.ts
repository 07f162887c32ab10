import type { Calls, Listing } from '../calls.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import { everyItem, pageOf, type Page } from '../pages.ts';
import type { CallOptions } from '../request.ts';
import type { verifyWebhook } from '../verify-webhook.ts';

export interface Webhook extends Schema<'Webhook'> {}
export interface WebhookWithSecret extends Schema<'WebhookWithSecret'> {}
export interface WebhookDeleted extends Schema<'WebhookDeleted'> {}
export interface CreateWebhookRequest extends Schema<'CreateWebhookRequest'> {}
export interface UpdateWebhookRequest extends Schema<'UpdateWebhookRequest'> {}
export interface RollWebhookSecretRequest extends Schema<'RollWebhookSecretRequest'> {}
export interface WebhookTest extends Schema<'WebhookTest'> {}
export interface Delivery extends Schema<'Delivery'> {}
export interface DeliveryWithAttempts extends Schema<'DeliveryWithAttempts'> {}
export interface Redelivered extends Schema<'Redelivered'> {}
export interface WebhookFilters extends QueryOf<'/v1/webhooks'> {}
export interface DeliveryFilters {
  status?: Delivery['status'] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What to send again: one event by its id, or all that the webhook wants after a `sequence`. */
export type RedeliverTarget = { eventId: string } | { after: number };

/** URLs of yours to which events are sent, the oldest first; at most 10 in each environment. */
export interface WebhooksResource extends Listing<Webhook, WebhookFilters> {
  /** The only answer, besides `rollSecret`, that has the secret. Not idempotent. */
  create(body: CreateWebhookRequest, options?: CallOptions): Promise<WebhookWithSecret>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /** Changes what is named. `enabled: true` also starts a webhook again that we disabled. */
  update(id: string, body: UpdateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Drops what is pending, and the log. */
  delete(id: string, options?: CallOptions): Promise<WebhookDeleted>;
  /** Replaces the secret, and returns the new one once. The old one signs too until the overlap ends, by default 24 hours. */
  rollSecret(id: string, body?: RollWebhookSecretRequest, options?: CallOptions): Promise<WebhookWithSecret>;
  /** Sends a `webhook.test` event, and returns what the URL answered. */
  test(id: string, options?: CallOptions): Promise<WebhookTest>;
  /** What was sent in the last 30 days, the newest first. */
  listDeliveries(id: string, filters?: DeliveryFilters, options?: CallOptions): Promise<Page<Delivery>>;
  listAllDeliveries(id: string, filters?: DeliveryFilters, options?: CallOptions): AsyncIterableIterator<Delivery>;
  /** With what each attempt was answered. */
  getDelivery(id: string, eventId: string, options?: CallOptions): Promise<DeliveryWithAttempts>;
  /** At most 5,000 at once: where `has_more` is true, repeat it with `after` set to `last_sequence`. Safe to repeat. */
  redeliver(id: string, what: RedeliverTarget, options?: CallOptions): Promise<Redelivered>;
  /** The same as `verifyWebhook`, which needs no client. */
  verify: typeof verifyWebhook;
}

function createDeliveries({ call }: Calls) {
  const listDeliveries: WebhooksResource['listDeliveries'] = async (id, filters = {}, options = {}) => {
    const input = { ...options, path: { id }, query: { ...filters } };
    const { json, headers } = await call('get', '/v1/webhooks/{id}/deliveries', input);
    return pageOf(json.data, headers);
  };
  const listAllDeliveries: WebhooksResource['listAllDeliveries'] = (id, filters, options) =>
    everyItem(async (cursor) =>
      listDeliveries(id, { ...filters, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  const getDelivery: WebhooksResource['getDelivery'] = async (id, eventId, options) => {
    const input = { ...options, path: { id, event_id: eventId } };
    return (await call('get', '/v1/webhooks/{id}/deliveries/{event_id}', input)).json;
  };
  const redeliver: WebhooksResource['redeliver'] = async (id, what, options) => {
    if ('after' in what) {
      const input = { ...options, path: { id }, body: { after: what.after } };
      return (await call('post', '/v1/webhooks/{id}/redeliver', input)).json;
    }
    const input = { ...options, path: { id, event_id: what.eventId } };
    return (await call('post', '/v1/webhooks/{id}/deliveries/{event_id}/redeliver', input)).json;
  };
  return { listDeliveries, listAllDeliveries, getDelivery, redeliver };
}

export default function createWebhooks(calls: Calls): WebhooksResource {
  const { call, listing } = calls;
  return {
    ...listing('/v1/webhooks'),
    ...createDeliveries(calls),
    create: async (body, options) => (await call('post', '/v1/webhooks', { ...options, body })).json,
    get: async (id, options) => (await call('get', '/v1/webhooks/{id}', { ...options, path: { id } })).json,
    update: async (id, body, options) =>
      (await call('patch', '/v1/webhooks/{id}', { ...options, path: { id }, body })).json,
    delete: async (id, options) => (await call('delete', '/v1/webhooks/{id}', { ...options, path: { id } })).json,
    rollSecret: async (id, body = {}, options) =>
      (await call('post', '/v1/webhooks/{id}/roll', { ...options, path: { id }, body })).json,
    test: async (id, options) => (await call('post', '/v1/webhooks/{id}/test', { ...options, path: { id } })).json,
    // Loaded when it is used: a page that only calls the API has no need of it.
    verify: async (...args) => (await import('../verify-webhook.ts')).verifyWebhook(...args),
  };
}
