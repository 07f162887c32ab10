import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { startChild } from './child-process.ts';
import { eventually } from './eventually.ts';
import { textAt, valueAt } from './json.ts';
import { ClusterError } from './postgres/cluster.ts';
import { asAdmin } from './postgres/roles.ts';
import { signUpBusiness, type Dashboard } from './seed-people.ts';

interface Stack extends Dashboard {
  /** The database, as kelpie_reader. */
  readerUrl: string;
  /** Has the keys of an earlier start, because the API shows a secret only once. */
  credentialsFile: string;
  /** What `kelpie-admin partners create` needs. */
  env: Readonly<Record<string, string>>;
}

/** Two partners to try things with. People can sign in to the first, by the code in the inbox. */
export interface Seeded {
  key: string;
  keyB: string;
  slug: string;
  adminEmail: string;
  viewerEmail: string;
}

type WithPeople = Pick<Seeded, 'key' | 'adminEmail' | 'viewerEmail'>;

interface Partner {
  slug: string;
  rail: string;
  wants_bank: boolean;
}

const connectedWithinMs = 60_000;

/** Two partners, each connected to the sandbox bank. Those of an earlier start are kept while they work. */
export async function seedPartners(stack: Stack): Promise<Seeded> {
  const known: unknown = await readFile(stack.credentialsFile, 'utf8').then(JSON.parse, () => ({}));
  const first = (await findFirst(stack, known)) ?? (await signUpFirst(stack));
  const knownB = valueAt(known, 'keyB');
  const keyB = typeof knownB === 'string' && (await isGood(stack, knownB)) ? knownB : await createSecond(stack);
  const { slug } = await untilConnected(stack, first.key);
  await untilConnected(stack, keyB);
  return { ...first, keyB, slug };
}

async function findFirst(stack: Stack, known: unknown): Promise<WithPeople | undefined> {
  const [key, adminEmail, viewerEmail] = ['key', 'adminEmail', 'viewerEmail'].map((name) => valueAt(known, name));
  if (typeof key !== 'string' || typeof adminEmail !== 'string' || typeof viewerEmail !== 'string') return undefined;
  return (await isGood(stack, key)) ? { key, adminEmail, viewerEmail } : undefined;
}

function newSlug(name: string): string {
  return `${name}-${randomBytes(3).toString('hex')}`;
}

async function signUpFirst(stack: Stack): Promise<WithPeople> {
  const slug = newSlug('acme');
  const people = { adminEmail: `ada@${slug}.example`, viewerEmail: `grace@${slug}.example` };
  const key = await signUpBusiness(stack, { slug, name: 'Acme Marketplace', ...people });
  return { key, ...people };
}

/** A partner that stays on the simulated rail is no use for trying the bank. */
async function isGood({ url, readerUrl }: Stack, key: string): Promise<boolean> {
  const { status } = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } });
  if (status !== 200) return false;
  const partner = await findPartner(readerUrl, key);
  return partner !== undefined && (partner.wants_bank || partner.rail !== 'simulated');
}

async function createSecond({ env }: Stack): Promise<string> {
  const command = startChild({
    name: 'kelpie-admin',
    file: 'service/src/app/cli.ts',
    args: ['partners', 'create', '--slug', newSlug('birch'), '--name', 'Birch Payroll', '--json'],
    env: { ...env, KELPIE_LOG_LEVEL: 'warn' },
  });
  const { code } = await command.exited;
  if (code !== 0) throw new ClusterError(`kelpie-admin partners create failed:\n${command.output()}`);
  return textAt(JSON.parse(command.output()), 'data.key');
}

/** By the prefix of its key, which is all that the database keeps in the clear. */
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
