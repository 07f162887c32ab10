// What the pages below /docs may do. They show text that anyone may read, so they need no session, and get none.

/**
 * `sandbox` without `allow-same-origin` gives a page an origin that no other page has: a script on it can neither read what our
 * other pages store nor call the API with the session of the person who reads.
 */
const sandbox = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads';

/** Nothing from anywhere else, and only the sources that a page names. */
export function docsPolicy(sources: readonly string[]): string {
  return [
    sandbox,
    `default-src 'none'`,
    ...sources,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** A page without an origin is another site to every file, so that its fonts and scripts must allow any. */
export const docsHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};
