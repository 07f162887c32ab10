import type { Fields } from '../http/fields.ts';
import type { Route, RouteRequest } from '../http/route.ts';
import { verificationActs } from '../verification/acts.ts';
import { changeStatus } from '../verification/change-status.ts';
import { describeKycLink, kycStatuses, lockKycLink, tosStatuses, type KycLink } from '../verification/kyc-link.ts';

type Control = (request: RouteRequest, link: KycLink) => Promise<KycLink>;

function optionalChoice<const Choice extends string>(
  body: Fields,
  key: string,
  choices: readonly Choice[],
): Choice | undefined {
  return body.has(key) ? body.choice(key, choices) : undefined;
}

/** Where nobody has accepted the terms yet, that comes first: most tests want a decision and nothing else. */
const acts = Object.entries(verificationActs).map(([name, act]): [string, Control] => [
  name,
  async ({ tx, at, body }, link) => {
    const reason = body.optionalText('reason');
    const accepted = await verificationActs['accept-terms'](tx, link, { at, reason });
    return act(tx, accepted, { at, reason });
  },
]);

const controls: Readonly<Record<string, Control>> = {
  ...Object.fromEntries(acts),
  status: async ({ tx, at, body }, link) => {
    const kycStatus = optionalChoice(body, 'kyc_status', kycStatuses) ?? link.kyc_status;
    const tosStatus = optionalChoice(body, 'tos_status', tosStatuses) ?? link.tos_status;
    return changeStatus(tx, link, { kycStatus, tosStatus, reason: body.optionalText('reason'), at });
  },
};

export const kycLinkControlRoutes: readonly Route[] = Object.entries(controls).map(([name, control]) => ({
  method: 'POST',
  url: `/kyc-links/:kyc_link_id/${name}`,
  async perform(request) {
    const link = await lockKycLink(request.tx, request.id('kyc_link_id'));
    return { status: 200, body: describeKycLink(await control(request, link)) };
  },
}));
