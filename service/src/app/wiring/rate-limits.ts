// The limits on how often can be asked, as the settings name them.
import type { RateLimits } from '../../http/limits/rate-limit.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Logger } from '../../platform/logging.ts';
import { createLeaseCalls } from '../../platform/rate-limits/store.ts';
import { createTokenLeases, type RateRule } from '../../platform/rate-limits/token-leases.ts';
import { settings, type Setting } from '../../platform/configuration/settings.ts';

type RateRules = Readonly<Record<keyof RateLimits, RateRule>>;

/** More than anybody needs. */
const accountChangesPerHour = 60;
/** Of each kind. */
const mailsToMailboxPerHour = 10;

export function chooseRateRules(get: <Value>(setting: Setting<Value>) => Value): RateRules {
  const openPerMinute = get(settings.openRequestsPerMinute);
  const signUpsPerHour = get(settings.signUpsPerHour);
  const invitationsPerDay = get(settings.invitationsPerDay);
  return {
    requests: { perSecond: get(settings.requestsPerSecond), burst: get(settings.requestsBurst) },
    payouts: { perSecond: get(settings.payoutsPerSecond), burst: get(settings.payoutsBurst) },
    invitations: { perSecond: invitationsPerDay / 86_400, burst: invitationsPerDay },
    signUps: { perSecond: signUpsPerHour / 3_600, burst: signUpsPerHour },
    mailboxes: { perSecond: mailsToMailboxPerHour / 3_600, burst: mailsToMailboxPerHour },
    accountChanges: { perSecond: accountChangesPerHour / 3_600, burst: accountChangesPerHour },
    open: { perSecond: openPerMinute / 60, burst: openPerMinute },
  };
}

/** Apart from the clock that tests move: what is measured here is how long something takes. */
const now = (): number => performance.now();

export function openRateLimits(rules: RateRules, calls: SingleCalls, logger: Logger): RateLimits {
  const lease = createLeaseCalls(calls, logger);
  const perKey = (name: string, rule: RateRule) =>
    createTokenLeases({
      rule,
      now,
      lease: async (keyId, wanted) => lease({ ...rule, subject: `${name}:${keyId}`, keyId, wanted }),
    });
  const perSubject = (name: string, rule: RateRule) =>
    createTokenLeases({
      rule,
      now,
      lease: async (id, wanted) => lease({ ...rule, subject: `${name}:${id}`, keyId: null, wanted }),
    });
  return {
    requests: perKey('requests', rules.requests),
    payouts: perKey('payouts', rules.payouts),
    invitations: perSubject('invitations', rules.invitations),
    signUps: perSubject('sign-ups', rules.signUps),
    mailboxes: perSubject('mailboxes', rules.mailboxes),
    accountChanges: perSubject('account-changes', rules.accountChanges),
    open: perSubject('open', rules.open),
  };
}
