import type { Session } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { kelpie } from '../../data/kelpie.ts';
import { completeSignIn } from '../../data/passkeys.ts';
import { useBeginSession, useFoundSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { CodeForm } from './code-form.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { accountsAddress, namedAccount, nextAddress } from './next-address.ts';

/** If this fails, the person lands in the account that they used last. */
async function hasSeveralAccounts(): Promise<boolean> {
  try {
    return (await kelpie.auth.listAccounts()).length > 1;
  } catch {
    return false;
  }
}

/**
 * Switches to the account in the link, if the person is a member. Only after sign-in: a code for an account that is not
 * theirs would count as a wrong guess.
 */
async function goToNamed(session: Session, slug: string | undefined): Promise<Session> {
  if (slug === undefined || slug === session.account.slug) return session;
  try {
    return await completeSignIn(await kelpie.auth.switchAccount({ slug }));
  } catch {
    // Not a member, or unknown: the list of accounts says so and lets them choose.
    return session;
  }
}

export function Screen() {
  const [search] = useSearchParams();
  const found = useFoundSession();
  const beginSession = useBeginSession();
  const [email, setEmail] = useState('');
  const [hasSeveral, setSeveral] = useState(false);
  const slug = namedAccount(search);
  const asking = useMutation({ mutationFn: async () => kelpie.auth.requestCode({ email: email.trim() }) });
  if (found.data) {
    const isOther = slug !== undefined && slug !== found.data.account.slug;
    return <Navigate replace to={hasSeveral || isOther ? accountsAddress(search) : nextAddress(search)} />;
  }
  if (asking.isSuccess) {
    return (
      <AuthLayout
        title="Check your email"
        lead={
          <>
            If <strong className="font-medium text-ink">{email.trim()}</strong> belongs to an account, we emailed it a
            6-digit code. The code is valid for 10 minutes.
          </>
        }
      >
        <CodeForm
          signIn={async (code) => {
            const session = await completeSignIn(await kelpie.auth.signIn({ email: email.trim(), code }));
            setSeveral(slug === undefined && (await hasSeveralAccounts()));
            return goToNamed(session, slug);
          }}
          resend={async () => kelpie.auth.requestCode({ email: email.trim() })}
          onSignedIn={beginSession}
          onBack={() => asking.reset()}
        />
        {slug !== undefined && <NamedAccount slug={slug} />}
      </AuthLayout>
    );
  }
  return (
    <AuthLayout
      title="Sign in"
      lead="Kelpie pays UK bank accounts in pounds from your USDC wallet. We email you a code to sign in."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!asking.isPending) asking.mutate();
        }}
      >
        <Field
          label="Work email"
          name="email"
          type="email"
          isRequired
          autoFocus
          autoComplete="email"
          value={email}
          onChange={setEmail}
        />
        {asking.error !== null && <Problem error={asking.error} title="The code was not sent." />}
        <Button kind="primary" type="submit" isWorking={asking.isPending} disabled={!email.includes('@')}>
          Email me a code
        </Button>
      </form>
      <p className="text-muted">
        New to Kelpie?{' '}
        <Link to="/sign-up" className="font-medium text-tide underline underline-offset-2">
          Create account
        </Link>
      </p>
    </AuthLayout>
  );
}

/** The account in the link. */
function NamedAccount({ slug }: { slug: string }) {
  return (
    <p className="text-muted">
      This link is for the account <strong className="font-medium text-ink">{slug}</strong>.
    </p>
  );
}
