import { Option, type Command } from 'commander';
import { readOutstanding, type Outstanding } from '../../billing/index.ts';
import { listPartners, listEnvironments, type AdminPartner, type AdminEnvironment } from '../../partners/index.ts';
import { getPartner } from './find-partner.ts';
import { limited, look, readCommand, type ReadOptions } from './run-command.ts';
import { addPartnerActs } from './partner-acts.ts';
import { addClosingPartners } from './partner-close.ts';
import { addFreezingPartners } from './partner-freeze.ts';
import { addCreatingPartners } from './partner-create.ts';
import { addVerifyingPartners } from './partner-verify.ts';
import { counted, exactUsdc, pounds, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const statuses = ['onboarding', 'active', 'suspended', 'closed'];

function describeOutstanding({ unpaidInvoices, unpaidPence, creditPence }: Outstanding, isClosed: boolean): string[] {
  return [
    ...(unpaidInvoices === 0 ? [] : [`  owes ${pounds(unpaidPence)} for ${counted(unpaidInvoices, 'invoice')}`]),
    ...(creditPence === 0n
      ? []
      : [`  credit of ${pounds(creditPence)}${isClosed ? ', which we owe after its last invoice' : ''}`]),
  ];
}

interface ShownPartner extends AdminPartner {
  environments: readonly AdminEnvironment[];
  outstanding: Outstanding;
}

function describePartner(partner: ShownPartner): string {
  const { environments, outstanding, closedAt } = partner;
  const lines = [
    `${partner.name} (${partner.slug}): ${partner.status}${closedAt === null ? '' : ` since ${shortInstant(closedAt)}`}`,
    `  id ${partner.id}`,
    `  verification ${partner.verificationStatus.replaceAll('_', ' ')}, rate limits × ${partner.rateFactor}`,
    ...describeOutstanding(outstanding, closedAt !== null),
    ...environments.map(
      (partnerEnvironment) =>
        `  ${partnerEnvironment.environment.padEnd(7)} rail ${partnerEnvironment.rail}, wallet ${exactUsdc(partnerEnvironment.walletMicroUsdc)}, price plan ${partnerEnvironment.pricePlan}, ` +
        `${counted(partnerEnvironment.activeKeys, 'key')}, ${counted(partnerEnvironment.openPayouts, 'open payout')}, ` +
        `top-up methods: ${partnerEnvironment.fundingMethods.join(', ') || 'none yet'}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

interface ListOptions extends ReadOptions {
  status?: string;
  limit: number;
}

function addList(partners: Command): void {
  const list = limited(readCommand(partners.command('list')))
    .description('List partners, newest first.')
    .addOption(new Option('--status <status>', 'only partners with this status').choices(statuses))
    .action(async ({ json, status, limit }: ListOptions) => {
      const found = await look(async (tx) => listPartners(tx, { status: status ?? null, atMost: limit }));
      const rows = found.map((one) => [
        one.slug,
        one.status,
        one.verificationStatus,
        `× ${one.rateFactor}`,
        one.id,
        one.name,
      ]);
      const names = ['SLUG', 'STATUS', 'VERIFICATION', 'RATE LIMITS', 'ID', 'NAME'];
      print({ json }, found, table(names, rows, 'No partners match.'));
    });
  addHelp(list, {
    example: 'kelpie-admin partners list --status suspended',
    prints: 'One line per partner: slug, status, verification, rate limit factor, id and name.',
  });
}

function addShow(partners: Command): void {
  const show = readCommand(partners.command('show'))
    .argument('<partner>', 'partner slug or id')
    .description('Show a partner and its sandbox and live environments.')
    .action(async (slugOrId: string, { json }: ReadOptions) => {
      const shown = await look(async (tx) => {
        const partner = await getPartner(tx, slugOrId);
        const environments = await listEnvironments(tx, partner.id);
        return { ...partner, environments, outstanding: await readOutstanding(tx, partner.id) };
      });
      print({ json }, shown, describePartner(shown));
    });
  addHelp(show, {
    example: 'kelpie-admin partners show acme',
    prints:
      'Its status, unpaid invoices and credit, and per environment: rail, wallet balance, price plan, API keys, open payouts and top-up methods.',
  });
}

export function addPartnerCommands(kelpie: Command): void {
  const partners = kelpie.command('partners').description('Create, show and change partners.');
  addList(partners);
  addShow(partners);
  addCreatingPartners(partners);
  addVerifyingPartners(partners);
  addPartnerActs(partners);
  addFreezingPartners(partners);
  addClosingPartners(partners);
  addGroupHelp(partners, {
    about: 'A partner is a business that pays out through Kelpie. Name it by its slug or its id.',
    example: 'kelpie-admin partners show acme',
  });
}
