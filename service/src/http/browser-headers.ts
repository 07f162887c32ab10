/** Two years, as the proxy says it. */
const httpsOnly = 'max-age=63072000; includeSubDomains';

/**
 * What every answer tells a browser: keep nothing, guess no type, run nothing and show it in no frame. Files and pages say
 * themselves what is different for them. Headers only: most answers go to programs, which ignore them.
 */
export function browserHeaders(publicUrl: string | undefined): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
    ...(publicUrl?.startsWith('https://') === true ? { 'strict-transport-security': httpsOnly } : {}),
  };
}
