import { Option, type Command } from 'commander';
import { listPartners, listEnvironments, type AdminPartner, type AdminEnvironment } from '../../partners/index.ts';
import { getPartner } from './find-partner.ts';
import { limited, look, readCommand, type ReadOptions } from './run-command.ts';
import { addPartnerActs } from './partner-acts.ts';
import { addCreatingPartners } from './partner-create.ts';
import { addVerifyingPartners } from './partner-verify.ts';
import { counted, exactUsdc, print, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const statuses = ['onboarding', 'active', 'suspended', 'closed'];

function describePartner(partner: AdminPartner, environments: readonly AdminEnvironment[]): string {
  const lines = [
    `${partner.name} (${partner.slug}): ${partner.status}`,
    `  id ${partner.id}`,
    `  verification ${partner.verificationStatus.replaceAll('_', ' ')}, limits × ${partner.rateFactor}`,
    ...environments.map(
      (partnerEnvironment) =>
        `  ${partnerEnvironment.environment.padEnd(7)} by ${partnerEnvironment.rail}, wallet ${exactUsdc(partnerEnvironment.walletMicroUsdc)} USDC, plan ${partnerEnvironment.pricePlan}, ` +
        `${counted(partnerEnvironment.activeKeys, 'key')}, ${counted(partnerEnvironment.openPayouts, 'open payout')}, ` +
        `topped up by ${partnerEnvironment.fundingMethods.join(' and ') || 'nothing yet'}`,
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
    .description('Partners, the newest first, with their state and limits.')
    .addOption(new Option('--status <status>', 'only those in this state').choices(statuses))
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
      const names = ['SLUG', 'STATUS', 'VERIFICATION', 'LIMITS', 'ID', 'NAME'];
      print({ json }, found, table(names, rows, 'There are none.'));
    });
  addHelp(list, {
    when: 'You want to know who is there, or look for a short name to use with another command.',
    examples: ['kelpie-admin partners list', 'kelpie-admin partners list --status suspended --json'],
    prints:
      'a line a partner: short name, state, how far its verification is, by how much its limits are raised, id and name.',
  });
}

function addShow(partners: Command): void {
  const show = readCommand(partners.command('show'))
    .argument('<partner>', 'its short name, or its id')
    .description('One partner: its two environments, their rails, wallets, price plans, keys and open payouts.')
    .action(async (slugOrId: string, { json }: ReadOptions) => {
      const shown = await look(async (tx) => {
        const partner = await getPartner(tx, slugOrId);
        return { ...partner, environments: await listEnvironments(tx, partner.id) };
      });
      print({ json }, shown, describePartner(shown, shown.environments));
    });
  addHelp(show, {
    when: 'A partner calls, and you want to see at a glance where it stands.',
    examples: ['kelpie-admin partners show acme'],
    prints: 'its state, and a line for each of its environments, sandbox and live. Wallets have all six decimals.',
  });
}

export function addPartnerCommands(kelpie: Command): void {
  const partners = kelpie.command('partners').description('Look after partners.');
  addList(partners);
  addShow(partners);
  addCreatingPartners(partners);
  addVerifyingPartners(partners);
  addPartnerActs(partners);
  addGroupHelp(partners, {
    when: 'A partner is a business that pays out through Kelpie. Name it by its short name, or by its id.',
    examples: [
      'kelpie-admin partners show acme',
      'kelpie-admin partners suspend acme --reason "invoice 2026-10 unpaid" --dry-run',
    ],
  });
}
