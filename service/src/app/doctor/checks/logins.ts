import { settings, type Setting } from '../../../platform/configuration/settings.ts';
import { openPool } from '../../../platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../../platform/database/transaction.ts';
import { unsafe, type DoctorDeps } from '../deps.ts';
import { NotChecked, ok, problem, warning, type Check, type Finding } from '../finding.ts';
import { reasonOf } from '../run-checks.ts';

/** Which role each address must connect as. An operator has a login of their own, in the role. */
const expected: readonly { setting: Setting<string>; role: string }[] = [
  { setting: settings.databaseUrl, role: 'kelpie_service' },
  { setting: settings.readerDatabaseUrl, role: 'kelpie_reader' },
  { setting: settings.operatorDatabaseUrl, role: 'kelpie_operator' },
  { setting: settings.ownerDatabaseUrl, role: 'kelpie_owner' },
];

interface Session {
  login: string;
  is_superuser: boolean;
  bypasses_rows: boolean;
  is_operator: boolean;
  is_encrypted: boolean;
  is_local: boolean;
}

/** Of this connection: a process always sees its own. */
async function readSession(tx: Transaction): Promise<Session> {
  const { rows } = await tx.query<Session>(
    `select r.rolname as login, r.rolsuper as is_superuser, r.rolbypassrls as bypasses_rows,
       exists (
         select from pg_auth_members m join pg_roles o on o.oid = m.roleid
         where o.rolname = 'kelpie_operator' and m.member = r.oid
       ) as is_operator,
       coalesce(s.ssl, false) as is_encrypted, inet_server_addr() is null as is_local
     from pg_roles r left join pg_stat_ssl s on s.pid = pg_backend_pid() where r.rolname = session_user`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a connection without a login');
  return row;
}

type Login = { setting: Setting<string>; role: string } & (
  | { kind: 'not_set' }
  | { kind: 'connected'; session: Session }
  | { kind: 'failed'; reason: string }
);

/** Each address is tried once, by whichever check comes first. */
export type Logins = () => Promise<readonly Login[]>;

async function connect({ given, logger }: DoctorDeps, each: (typeof expected)[number]): Promise<Login> {
  const url = given.find(each.setting);
  if (url === null) return { ...each, kind: 'not_set' };
  const pool = openPool({ url, connections: 1, applicationName: 'kelpie-cli', logger, pace: 'command' });
  try {
    const session = await inReadOnlyTransaction(pool, 'shared', readSession);
    return { ...each, kind: 'connected', session };
  } catch (error) {
    return { ...each, kind: 'failed', reason: reasonOf(error) };
  } finally {
    await pool.end();
  }
}

export function createLogins(deps: DoctorDeps): Logins {
  let connecting: Promise<readonly Login[]> | undefined;
  return async () => {
    connecting ??= Promise.all(expected.map(async (each) => connect(deps, each)));
    const logins = await connecting;
    if (logins.every(({ kind }) => kind === 'not_set'))
      throw new NotChecked(`${settings.readerDatabaseUrl.variable} is not set.`);
    return logins;
  };
}

function judgeRole({ variable }: Setting<string>, role: string, session: Session): Finding {
  const { login, is_superuser: isSuperuser, bypasses_rows: bypassesRows, is_operator: isOperator } = session;
  if (isSuperuser || bypassesRows)
    return problem(`${variable} connects as ${login}, which bypasses row security. Use the role ${role}.`);
  const isRight = role === 'kelpie_operator' ? isOperator : login === role;
  if (isRight) return ok(`${variable} connects as ${login}.`);
  return problem(
    role === 'kelpie_operator'
      ? `${variable} connects as ${login}, which is not an operator. Use your own login in the role kelpie_operator.`
      : `${variable} connects as ${login}. Use the role ${role}.`,
  );
}

function judgeLogin(login: Login): Finding {
  const { setting, role } = login;
  switch (login.kind) {
    case 'not_set':
      return ok(`${setting.variable} is not set here.`);
    case 'failed':
      return problem(`${setting.variable} does not connect. ${login.reason}`);
    case 'connected':
      return judgeRole(setting, role, login.session);
  }
}

export function checkRoles(logins: Logins): Check {
  return { name: 'database roles', run: async () => (await logins()).map(judgeLogin) };
}

export function checkDatabaseTls(deps: DoctorDeps, logins: Logins): Check {
  const judge = (login: Login): Finding[] => {
    const { variable } = login.setting;
    if (login.kind === 'not_set') return [];
    if (login.kind === 'failed') return [warning(`Not checked: ${variable} does not connect.`)];
    if (login.session.is_local) return [ok(`${variable} uses a local socket.`)];
    if (login.session.is_encrypted) return [ok(`${variable} uses TLS.`)];
    return [unsafe(deps, `${variable} connects without TLS. Add sslmode=verify-full and sslrootcert to it.`)];
  };
  return { name: 'database TLS', run: async () => (await logins()).flatMap(judge) };
}
