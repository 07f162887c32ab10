import { described, isObject, parseJson, valueOf } from './json.ts';
import type { Event } from './resources/events.ts';
import { KelpieWebhookError } from './webhook-error.ts';
import { importSecret, signatureOf, signedContent } from './webhook-signature.ts';

/** An event, and how it came. */
export type WebhookEvent = Event & {
  webhook: {
    /** The endpoint's id. */
    id: string;
    /** The `sequence` of the event before it that this endpoint gets. If you don't have that one, you have missed it. */
    previous_sequence: number | null;
  };
};

/** `Headers`, or the object that Node and Express have. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A Fetch `Request`, or the raw body with its headers, such as a request of Express after `express.raw`. */
export type WebhookRequest =
  | { headers: WebhookHeaders; arrayBuffer(): Promise<ArrayBuffer>; bodyUsed?: boolean }
  | { headers: WebhookHeaders; text(): Promise<string>; bodyUsed?: boolean }
  | { headers: WebhookHeaders; body: string | Uint8Array };

export interface VerifyOptions {
  /** In place of the clock of this machine. */
  now?: Date | undefined;
  /** How far the time of sending may be from now: 300. */
  toleranceSeconds?: number | undefined;
}

const encoder = new TextEncoder();
const defaultToleranceSeconds = 300;

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (hasGet(headers)) return headers.get(name) ?? '';
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  const value = entry?.[1] ?? '';
  return typeof value === 'string' ? value : value.join(' ');
}

function readHeaders(headers: WebhookHeaders): { id: string; timestamp: string; signatures: string[] } {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signature = headerOf(headers, 'webhook-signature');
  if (id === '' || signature === '' || !/^\d{1,12}$/.test(timestamp)) throw new KelpieWebhookError('missing_header');
  return { id, timestamp, signatures: signature.split(' ') };
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return body;
  throw new KelpieWebhookError('body_parsed');
}

async function readBody(request: WebhookRequest): Promise<Uint8Array> {
  if (valueOf(request, 'bodyUsed') === true) throw new KelpieWebhookError('body_parsed');
  if ('arrayBuffer' in request) return new Uint8Array(await request.arrayBuffer());
  if ('text' in request) return encoder.encode(await request.text());
  return bytesOf(request.body);
}

/** Takes as long for texts that differ early as for equal ones. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

async function isSigned(content: Uint8Array<ArrayBuffer>, secrets: readonly string[], signatures: readonly string[]) {
  const keys = await Promise.all(secrets.map(importSecret));
  if (keys.length === 0) throw new KelpieWebhookError('invalid_secret');
  let isOneRight = false;
  for (const key of keys) {
    const expected = await signatureOf(content, key);
    for (const signature of signatures) isOneRight = isEqual(signature, expected) || isOneRight;
  }
  return isOneRight;
}

/**
 * Verifies a webhook and returns its event, or throws a KelpieWebhookError. While a secret is being replaced, pass both. An
 * event can be delivered more than once: ignore a `sequence` that you have processed.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secret: string | readonly string[],
  { now = new Date(), toleranceSeconds = defaultToleranceSeconds }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { id, timestamp, signatures } = readHeaders(request.headers);
  const body = await readBody(request);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // Before the time: what is too old is then known to be from Kelpie.
  if (!(await isSigned(signedContent(id, timestamp, body), secrets, signatures)))
    throw new KelpieWebhookError('wrong_signature');
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (ageSeconds > toleranceSeconds) throw new KelpieWebhookError('too_old');
  if (ageSeconds < -toleranceSeconds) throw new KelpieWebhookError('too_new');
  const event = parseJson(new TextDecoder().decode(body));
  if (!isObject(event)) throw new TypeError('The webhook is signed, but its body is not a JSON object.');
  return described<WebhookEvent>(event);
}
