/**
 * `body_parsed`: the raw bytes are gone. `wrong_signature`: not from Kelpie, changed on the way, or the secret of another
 * endpoint. `too_old`, `too_new`: rightly signed, but sent too long ago or in the future.
 */
export type WebhookErrorCode =
  | 'missing_header'
  | 'body_parsed'
  | 'wrong_signature'
  | 'too_old'
  | 'too_new'
  | 'invalid_secret';

const messages: Readonly<Record<WebhookErrorCode, string>> = {
  missing_header: 'The headers webhook-id, webhook-timestamp and webhook-signature are required. Pass all headers on.',
  body_parsed:
    'The body was parsed, so its signature cannot be verified. Pass the raw bytes. ' +
    "Express: app.post(path, express.raw({ type: 'application/json' }), handler). " +
    "Fastify: app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body)). " +
    'Next.js: pass the Request of a route handler, without request.json().',
  wrong_signature: 'The signature is wrong. Check that the secret is of this endpoint, and refuse the request.',
  too_old: 'The webhook was sent too long ago. Check the clock of this server, and refuse the request.',
  too_new: 'The webhook was sent in the future. Check the clock of this server, and refuse the request.',
  invalid_secret: 'The secret is invalid. It starts with whsec_ and is shown when you create the endpoint.',
};

/** A webhook that could not be verified. Answer with status 400 and ignore its content. */
export class KelpieWebhookError extends Error {
  override readonly name = 'KelpieWebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode) {
    super(messages[code]);
    this.code = code;
  }
}
