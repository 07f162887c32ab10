import { createHash } from 'node:crypto';
import type { LimitHook } from '../../http/limits/rate-limit.ts';
import type { Server } from '../../http/server.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StatusReport } from '../report.ts';
import { renderPage } from './page.ts';
import { style } from './style.ts';
import { renderJson } from './wire-form.ts';

/** What the page may load: its own style, and type and icon of this address. */
const contentSecurityPolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  `img-src 'self'`,
  `font-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const headers = {
  'cache-control': 'public, max-age=5',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** The paths that are served whatever else is. */
export const statusPaths = ['/status', '/status.json'] as const;

/** Drawn once for each report, and not for each request. */
export interface StatusPages {
  update: (report: StatusReport) => void;
  current: () => { html: string; json: string };
}

export function createStatusPages({ clock, supportEmail }: { clock: Clock; supportEmail: string }): StatusPages {
  // The first report is there before the first request.
  let drawn = { html: '', json: '{}' };
  return {
    update(report) {
      const at = clock.now();
      drawn = { html: renderPage(report, { at, supportEmail }), json: renderJson(report, at) };
    },
    current: () => drawn,
  };
}

interface StatusRouteDeps {
  pages: Pick<StatusPages, 'current'>;
  limit: LimitHook;
}

export function addStatusRoutes(app: Server, { pages, limit }: StatusRouteDeps): void {
  const [page, json] = statusPaths;
  const options = { schema: { hide: true }, onRequest: limit };
  app.get(page, options, async (_request, reply) =>
    reply
      .headers({ ...headers, 'content-security-policy': contentSecurityPolicy })
      .type('text/html; charset=utf-8')
      .send(pages.current().html),
  );
  app.get(json, options, async (_request, reply) =>
    reply.headers(headers).type('application/json; charset=utf-8').send(pages.current().json),
  );
}
