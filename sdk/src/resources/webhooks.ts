import { verifyWebhook } from '../verify-webhook.ts';

export interface WebhooksResource {
  /** The same as `verifyWebhook`, which needs no client. */
  verify: typeof verifyWebhook;
}

export default function createWebhooks(): WebhooksResource {
  return { verify: verifyWebhook };
}
