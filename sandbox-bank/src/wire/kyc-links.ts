import type { Fields } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { createKycLink } from '../verification/create-kyc-link.ts';
import { describeKycLink, getKycLink } from '../verification/kyc-link.ts';
import { email } from './customers.ts';

const endorsements = ['base', 'cards', 'faster_payments', 'pix', 'sepa', 'spei'] as const;

/** Somebody's browser is sent there, and its host stands in a header of ours: nothing but a plain address will do. */
function readRedirect(body: Fields): string | null {
  const given = body.optionalText('redirect_uri');
  if (given === null) return null;
  const url = URL.parse(given);
  if (url === null || !/^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(url.origin)) {
    throw body.apiError('redirect_uri', 'an http or https address');
  }
  return url.href;
}

/** `bankUrl` is asked once the bank listens: only then does it know its port. */
export function kycLinkRoutes(bankUrl: () => string): readonly Route[] {
  return [
    {
      method: 'POST',
      url: '/kyc_links',
      faultPoint: 'kyc_link.create',
      async perform({ tx, at, body }) {
        const asked = {
          type: body.choice('type', ['individual', 'business']),
          full_name: body.text('full_name'),
          email: body.text('email', email),
          endorsements: body.choices('endorsements', endorsements),
          redirect_uri: readRedirect(body),
          bank_url: bankUrl(),
        };
        return { status: 201, body: describeKycLink(await createKycLink(tx, asked, at)) };
      },
    },
    {
      method: 'GET',
      url: '/kyc_links/:kyc_link_id',
      faultPoint: 'kyc_link.read',
      async perform({ tx, id }) {
        return { status: 200, body: describeKycLink(await getKycLink(tx, id('kyc_link_id'))) };
      },
    },
  ];
}
