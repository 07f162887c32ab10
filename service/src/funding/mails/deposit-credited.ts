import type { FundingMethod } from '../../banks/index.ts';
import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import { rateAsNumber, type GbpPerUsd } from '../../money/rates.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { linkToTopUps } from './link-to-top-ups.ts';
import { showPounds, showUsdc } from '../../money/shown-amounts.ts';

interface CreditedDeposit {
  business: string;
  environment: 'sandbox' | 'live';
  method: FundingMethod;
  amount: MicroUsdc;
  /** The part that repaid what the partner owed. */
  repaid: MicroUsdc;
  sentPence: Pence | null;
  fee: MicroUsdc | null;
  rate: GbpPerUsd | null;
  senderName: string | null;
  dashboardUrl: string | null;
}

/** As in "1 USDC = £0.79". */
function showRate(rate: GbpPerUsd): string {
  const decimals = rateAsNumber(rate)
    .toFixed(6)
    .replace(/0{1,4}$/, '');
  return `1 USDC = £${decimals}`;
}

export function depositCreditedMail(deposit: CreditedDeposit): MailMessage {
  const { business, environment, amount, repaid, dashboardUrl } = deposit;
  const arrived = showUsdc(amount - repaid);
  const facts: [string, string][] = [
    ['Account', business],
    ['Wallet', environment],
    ...(deposit.senderName === null ? [] : [['From', deposit.senderName] satisfies [string, string]]),
    ...(deposit.sentPence === null ? [] : [['Sent', showPounds(deposit.sentPence)] satisfies [string, string]]),
    ...(deposit.rate === null ? [] : [['Exchange rate', showRate(deposit.rate)] satisfies [string, string]]),
    ...(deposit.fee === null ? [] : [['Bank fee', showUsdc(deposit.fee)] satisfies [string, string]]),
    ...(repaid === 0n ? [] : [['Used to repay what you owed', showUsdc(repaid)] satisfies [string, string]]),
    ['Added to the wallet', arrived],
  ];
  const words =
    repaid === amount
      ? {
          subject: `Your ${environment} top-up of ${showUsdc(amount)} went towards what you owed`,
          lead: `We used a top-up of ${showUsdc(amount)} towards what ${business} owed us. Nothing was added to the ${environment} wallet.`,
        }
      : {
          subject: `${arrived} added to your ${environment} wallet`,
          lead: `We added ${arrived} to the ${environment} wallet of ${business}. You can use it for payouts now.`,
        };
  return {
    ...words,
    blocks: [{ kind: 'facts', facts }, ...linkToTopUps({ dashboardUrl, environment, label: 'View top-ups' })],
  };
}
