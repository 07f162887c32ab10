import { uuidPattern } from '../../platform/ids.ts';

/**
 * Zero-width joiners shape letters of Arabic and Indian scripts, and emoji. Elsewhere nobody sees them, and two names look the
 * same that are not.
 */
const joiner =
  '(?<=[\\p{Lo}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d](?=[\\p{Lo}\\p{Extended_Pictographic}])';

/** The forms of the texts that the API takes. None can be tried in more than one way, so a hostile text is read as fast as any. */
export const patterns = {
  /** Any text that can be stored: no NUL, no half of a character. */
  anyText: '^[^\\u0000\\p{Cs}]*$',
  /** A name as we show it: something to be seen, no control character, no line break, and nothing that turns or hides text. */
  shownName: `^\\p{Zs}*[^\\p{C}\\p{Z}](?:[^\\p{Cc}\\p{Cs}\\p{Cf}\\p{Zl}\\p{Zp}]|${joiner})*$`,
  /** Any text without what turns or hides it. */
  payeeName: `^(?:[^\\u0000\\p{Cs}\\p{Cf}]|${joiner})*$`,
  money: '^[0-9]+\\.[0-9]{2}$',
  base64url: '^[A-Za-z0-9_-]+$',
  sixDigits: '^[0-9]{6}$',
  eightDigits: '^[0-9]{8}$',
  /** As PostgreSQL reads one; the validator's own form would let `urn:uuid:` through. */
  uuid: `^${uuidPattern}$`,
  /** An id and the number of a line of it. */
  itemCursor: `^${uuidPattern}\\.[0-9]{1,2}$`,
  listLimit: '^([1-9]|[1-9][0-9]|1[0-9]{2}|200)$',
  fourDigits: '^[0-9]{4}$',
  /** Of this century: there was nothing to be told before. */
  month: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  /** As many digits as the database can count to. */
  movementNumber: '^[1-9][0-9]{0,17}$',
  /** A number of an event, or zero for before the first. */
  sequence: '^(0|[1-9][0-9]{0,14})$',
  /** Seconds that a request may wait. */
  waitSeconds: '^(0|[1-9]|1[0-9]|20)$',
  exactUsdc: '^-?[0-9]+\\.[0-9]{6}$',
  slug: '^[a-z0-9-]{2,40}$',
  /** How long the parts of an address can be for a mail to reach it; its form is the format's to say. */
  emailLength: '^[^@]{1,64}@[^@]{1,189}$',
  /** An address of a page that is reached safely, and without a name or a password in it. */
  secureUrl: '^https://[^/?#@\\\\\\s]+([/?#][^\\s]*)?$',
  color: '^#[0-9a-fA-F]{6}$',
  webhookSecret: '^whsec_[A-Za-z0-9+/]{43}=$',
  secret: '^kp_(sandbox|live)_[a-f0-9]{48}$',
  idempotencyKey: '^[A-Za-z0-9_\\-:.]{8,100}$',
  /** What an entry of the audit log is called. */
  action: '^[a-z_]{1,30}\\.[a-z_]{1,29}$',
  payoutStatuses:
    '^(pending|processing|completed|failed|cancelled|returned)(,(pending|processing|completed|failed|cancelled|returned)){0,5}$',
  depositStatuses: '^(pending|credited|refunded|reversed)(,(pending|credited|refunded|reversed)){0,3}$',
} as const;

export const cursorRule = 'must be a cursor from a Link header';

/** What each asks for, in words: nobody wants to read a pattern in an error. */
const rules = new Map<unknown, string>([
  [patterns.anyText, 'must not contain NUL characters or unpaired surrogates'],
  [
    patterns.shownName,
    'must contain a visible character, and no control characters, line breaks, direction marks or invisible characters',
  ],
  [patterns.payeeName, 'must not contain NUL characters, unpaired surrogates, direction marks or invisible characters'],
  [patterns.money, 'must be a string with two decimals, for example "850.00"'],
  [patterns.base64url, 'must be base64url without padding'],
  [patterns.sixDigits, 'must be 6 digits'],
  [patterns.eightDigits, 'must be 8 digits'],
  [patterns.listLimit, 'must be an integer from 1 to 200'],
  [patterns.fourDigits, 'must be 4 digits'],
  [patterns.month, 'must be a month, for example 2026-11'],
  [patterns.movementNumber, cursorRule],
  [patterns.sequence, 'must be the sequence of an event, or 0'],
  [patterns.waitSeconds, 'must be an integer from 0 to 20'],
  [patterns.slug, 'must be 2 to 40 lowercase letters, digits or hyphens'],
  [patterns.uuid, 'must be a UUID'],
  [patterns.itemCursor, cursorRule],
  [patterns.emailLength, 'must be an email address'],
  [patterns.secureUrl, 'must be a URL that starts with https://'],
  [patterns.color, 'must be a hex colour, for example "#0f6e6e"'],
  [patterns.idempotencyKey, 'must be 8 to 100 letters, digits, _, -, : or .'],
  [patterns.action, 'must be an action, for example key.create'],
  [
    patterns.payoutStatuses,
    'must be one or more of pending, processing, completed, failed, cancelled and returned, separated by commas',
  ],
  [patterns.depositStatuses, 'must be one or more of pending, credited, refunded and reversed, separated by commas'],
]);

/** The rule of a pattern in words, or undefined for one that has none. */
export function patternRule(pattern: unknown): string | undefined {
  return rules.get(pattern);
}
