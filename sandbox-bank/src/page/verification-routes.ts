import type { FastifyInstance, FastifyReply } from 'fastify';
import type { BankClock } from '../clock.ts';
import { inTransaction, type Pool } from '../database.ts';
import { readFields } from '../http/fields.ts';
import { idReader } from '../http/server.ts';
import { verificationActs } from '../verification/acts.ts';
import { getKycLink, lockKycLink, pageOf, type KycLink } from '../verification/kyc-link.ts';
import { choose, refuseStrangers } from './forms.ts';
import { renderTermsPage, renderVerificationPage } from './render-verification.ts';

const longestReason = { pattern: /^[^\0]{1,200}$/, rule: '1 to 200 characters' };

/** Browsers also apply `form-action` to the redirect after a form, so its origin is listed. */
function policyFor({ redirect_uri: back }: KycLink): string {
  const forms = back === null ? `'self'` : `'self' ${new URL(back).origin}`;
  return `default-src 'none'; style-src 'unsafe-inline'; form-action ${forms}`;
}

async function sendPage(reply: FastifyReply, link: KycLink, html: string): Promise<FastifyReply> {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policyFor(link)).send(html);
}

/** The pages behind `kyc_link` and `tos_link`. As at the provider, the link itself is the permission. */
export function serveVerificationPages(app: FastifyInstance, { pool, clock }: { pool: Pool; clock: BankClock }): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(text.toString()))),
  );
  app.addHook('preHandler', async (request) => refuseStrangers(request));

  for (const [path, render] of [
    ['/verify/:kyc_link_id', renderVerificationPage],
    ['/verify/:kyc_link_id/terms', renderTermsPage],
  ] as const) {
    app.get(path, async (request, reply) => {
      const id = idReader(request)('kyc_link_id');
      const link = await inTransaction(pool, async (tx) => getKycLink(tx, id));
      return sendPage(reply, link, render(link));
    });
  }

  app.post('/verify/:kyc_link_id/:act', async (request, reply) => {
    const act = choose(request, 'act', verificationActs);
    const id = idReader(request)('kyc_link_id');
    const reason = readFields(request.body, 'body').optionalText('reason', longestReason);
    const link = await inTransaction(pool, async (tx) =>
      act(tx, await lockKycLink(tx, id), { at: clock.now(), reason }),
    );
    // After the terms comes the decision, on the same page.
    const isDone = act !== verificationActs['accept-terms'];
    return reply.redirect(isDone && link.redirect_uri !== null ? link.redirect_uri : pageOf(link), 303);
  });
}
