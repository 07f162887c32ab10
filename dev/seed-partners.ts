import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { startChild } from './child-process.ts';
import { eventually } from './eventually.ts';
import { textAt, valueAt } from './json.ts';
import { ClusterError } from './postgres/cluster.ts';
import { asAdmin } from './postgres/roles.ts';

interface Stack {
  /** The api. */
  url: string;
  /** The database, as the role that reads every partner's rows. */
  readerUrl: string;
  /** Where the keys of an earlier start are: the secret of one that exists can't be asked for. */
  credentialsFile: string;
  /** What `kelpie-admin partners create` needs. */
  env: Readonly<Record<string, string>>;
}

/** API keys of two partners to try things with, and the short name of the first. */
export interface Seeded {
  key: string;
  keyB: string;
  slug: string;
}

interface Partner {
  slug: string;
  rail: string;
  wants_bank: boolean;
}

const connectedWithinMs = 60_000;

/** Two partners, each connected to the sandbox bank: those of an earlier start, as far as they still serve. */
export async function seedPartners(stack: Stack): Promise<Seeded> {
  const known: unknown = await readFile(stack.credentialsFile, 'utf8').then(JSON.parse, () => ({}));
  const key = await keepOrMake(stack, valueAt(known, 'key'), { slug: 'acme', name: 'Acme Marketplace' });
  const keyB = await keepOrMake(stack, valueAt(known, 'keyB'), { slug: 'birch', name: 'Birch Payroll' });
  const { slug } = await untilConnected(stack, key);
  await untilConnected(stack, keyB);
  return { key, keyB, slug };
}

async function keepOrMake(stack: Stack, known: unknown, partner: { slug: string; name: string }): Promise<string> {
  return typeof known === 'string' && (await isGood(stack, known)) ? known : makePartner(stack, partner);
}

/** One that is on the simulated rail and does not wait for a bank would stay there. */
async function isGood({ url, readerUrl }: Stack, key: string): Promise<boolean> {
  const { status } = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } });
  if (status !== 200) return false;
  const partner = await findPartner(readerUrl, key);
  return partner !== undefined && (partner.wants_bank || partner.rail !== 'simulated');
}

async function makePartner({ env }: Stack, { slug, name }: { slug: string; name: string }): Promise<string> {
  const command = startChild({
    name: 'kelpie-admin',
    file: 'service/src/app/cli.ts',
    args: ['partners', 'create', '--slug', `${slug}-${randomBytes(3).toString('hex')}`, '--name', name, '--json'],
    env: { ...env, KELPIE_LOG_LEVEL: 'warn' },
  });
  const { code } = await command.exited;
  if (code !== 0) throw new ClusterError(`kelpie-admin partners create failed:\n${command.output()}`);
  return textAt(JSON.parse(command.output()), 'data.key');
}

/** By the start of its key, which is all of it that is kept in the clear. */
async function findPartner(readerUrl: string, key: string): Promise<Partner | undefined> {
  return asAdmin(readerUrl, async (client) => {
    const { rows } = await client.query<Partner>(
      `select p.slug, e.rail::text, e.wants_bank from kelpie.api_keys k
       join kelpie.partners p on p.id = k.partner_id
       join kelpie.partner_environments e on e.partner_id = k.partner_id and e.environment = k.environment
       where starts_with($1, k.key_prefix)`,
      [key],
    );
    return rows[0];
  });
}

async function untilConnected({ readerUrl }: Stack, key: string): Promise<Partner> {
  const look = async (): Promise<Partner | undefined> => {
    const partner = await findPartner(readerUrl, key);
    return partner?.rail === 'simulated' ? undefined : partner;
  };
  return eventually('a new partner is connected to the sandbox bank', look, connectedWithinMs);
}
