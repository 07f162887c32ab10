import type { FundingMethod } from '../../banks/index.ts';
import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import { rateAsNumber, type GbpPerUsd } from '../../money/rates.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showPounds, showUsdc } from './shown-usdc.ts';

interface CreditedDeposit {
  business: string;
  environment: 'sandbox' | 'live';
  method: FundingMethod;
  amount: MicroUsdc;
  /** What of it went to what was owed. */
  repaid: MicroUsdc;
  sentPence: Pence | null;
  fee: MicroUsdc | null;
  rate: GbpPerUsd | null;
  senderName: string | null;
  link: string | null;
}

export function depositCreditedMail(deposit: CreditedDeposit): MailMessage {
  const { business, environment, amount, repaid, link } = deposit;
  const arrived = showUsdc(amount - repaid);
  const facts: [string, string][] = [
    ['Wallet', `${business}, ${environment}`],
    ...(deposit.senderName === null ? [] : [['From', deposit.senderName] satisfies [string, string]]),
    ...(deposit.sentPence === null ? [] : [['Sent', showPounds(deposit.sentPence)] satisfies [string, string]]),
    ...(deposit.rate === null
      ? []
      : [['Rate', `${rateAsNumber(deposit.rate)} pounds for a dollar`] satisfies [string, string]]),
    ...(deposit.fee === null ? [] : [["The bank's fee", showUsdc(deposit.fee)] satisfies [string, string]]),
    ...(repaid === 0n ? [] : [['For what was owed', showUsdc(repaid)] satisfies [string, string]]),
  ];
  return {
    subject: `${arrived} arrived in the ${environment} wallet of ${business}`,
    lead: `${arrived} arrived in the ${environment} wallet of ${business}, and can be paid with now.`,
    blocks: [
      { kind: 'facts', facts },
      ...(link === null ? [] : [{ kind: 'link', label: 'Open the dashboard', url: link } as const]),
    ],
  };
}
