import type { OwnAccount } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router';
import { kelpie } from '../../data/kelpie.ts';
import { completeSignIn } from '../../data/passkeys.ts';
import { useOwnAccounts } from '../../data/reads.ts';
import { useBeginSession, useFoundSession } from '../../data/session.ts';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { namedAccount, nextAddress } from './next-address.ts';

/** For members of several accounts. */
export function Screen() {
  const found = useFoundSession();
  if (found.data === null) return <Navigate replace to="/sign-in" />;
  return (
    <AuthLayout
      title="Choose an account"
      lead={
        found.data === undefined ? (
          'You are a member of these accounts.'
        ) : (
          <>
            <strong className="font-medium text-ink">{found.data.email}</strong> is a member of these accounts.
          </>
        )
      }
    >
      <Accounts />
      <p className="text-muted">
        Adding another business?{' '}
        <Link to="/sign-up" className="font-medium text-tide underline underline-offset-2">
          Create account
        </Link>
      </p>
    </AuthLayout>
  );
}

function Accounts() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const beginSession = useBeginSession();
  const accounts = useOwnAccounts();
  const entering = useMutation({
    mutationFn: async ({ slug }: OwnAccount) => completeSignIn(await kelpie.auth.switchAccount({ slug })),
    onSuccess: (session) => {
      beginSession(session);
      const next = nextAddress(search);
      void navigate(next.startsWith('/live') && !session.account.has_live ? '/sandbox' : next, { replace: true });
    },
  });
  const { data, error } = accounts;
  const named = namedAccount(search);
  const isForeign = named !== undefined && data !== undefined && !data.some(({ slug }) => slug === named);
  return (
    <div className="grid gap-4">
      {error !== null && data === undefined && (
        <Problem error={error} title="Your accounts could not be loaded." onRetry={() => void accounts.refetch()} />
      )}
      {accounts.isPending && <Rows count={3} />}
      {isForeign && (
        <p role="status" className="rounded-md bg-returned-wash p-3 text-returned">
          You are not a member of <strong className="font-medium">{named}</strong>, the account in your link. Ask one of
          its admins to invite this email address.
        </p>
      )}
      {entering.error !== null && <Problem error={entering.error} title="The account was not switched." />}
      {data !== undefined && (
        <ul aria-label="Accounts" className="divide-y divide-line border-y border-line">
          {data.map((account) => (
            <li key={account.slug}>
              <button
                type="button"
                aria-busy={entering.isPending}
                onClick={() => {
                  if (entering.isPending) return;
                  if (account.is_current) void navigate(nextAddress(search), { replace: true });
                  else entering.mutate(account);
                }}
                className="flex w-full items-center gap-3 py-2.5 text-left hover:bg-hover"
              >
                <AccountEntry account={account} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function AccountEntry({ account }: { account: OwnAccount }) {
  const { name, slug, role, last_login_at: lastAt, is_current: isCurrent } = account;
  return (
    <>
      <span className="grid min-w-0 flex-1">
        <span className="truncate font-medium">{name}</span>
        <span className="truncate text-small text-muted">
          {slug} · {role === 'admin' ? 'Admin' : 'Viewer'}
        </span>
      </span>
      <span className="text-small whitespace-nowrap text-muted">
        {isCurrent ? 'Signed in' : lastAt === null ? 'Not used yet' : <Timestamp at={lastAt} to="date" />}
      </span>
      <span className="text-muted">
        <Icon name="right" />
      </span>
    </>
  );
}
