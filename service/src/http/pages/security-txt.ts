import type { Clock } from '../../platform/clock.ts';
import type { LimitHook } from '../limits/rate-limit.ts';
import type { Server } from '../server.ts';

const dayMs = 24 * 60 * 60_000;
/** RFC 9116 recommends less than a year. */
const goodForMs = 180 * dayMs;

interface SecurityTxtDeps {
  clock: Clock;
  publicUrl: string;
  supportEmail: string;
  limitOpen: LimitHook;
}

/** Where to report a vulnerability (RFC 9116). It expires half a year after the day on which it is read, so it never lapses. */
function securityTxt(
  { publicUrl, supportEmail }: Pick<SecurityTxtDeps, 'publicUrl' | 'supportEmail'>,
  now: Date,
): string {
  const today = now.getTime() - (now.getTime() % dayMs);
  const fields = [
    `Contact: mailto:${supportEmail}`,
    `Expires: ${new Date(today + goodForMs).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
  ];
  return `${fields.join('\n')}\n`;
}

export function addSecurityTxt(app: Server, { clock, limitOpen, ...about }: SecurityTxtDeps): void {
  const options = { schema: { hide: true }, onRequest: limitOpen };
  app.get('/.well-known/security.txt', options, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(securityTxt(about, clock.now())),
  );
}
