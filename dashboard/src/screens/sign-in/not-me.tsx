import { KelpieError } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { kelpie } from '../../data/kelpie.ts';
import { useSupportEmail } from '../../data/reads.ts';
import { AuthLayout } from './auth-layout.tsx';
import { useLinkToken } from './use-link-token.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';

/**
 * Opened from an email about a change that the reader did not make. Nothing happens before the button is pressed, because
 * email scanners open links.
 */
export function Screen() {
  const token = useLinkToken();
  const freezing = useMutation({ mutationFn: async () => kelpie.auth.freeze({ token }) });
  const code = freezing.error instanceof KelpieError ? freezing.error.code : undefined;
  if (freezing.isSuccess) return <Frozen account={freezing.data.account} />;
  if (token === '' || code === 'invalid_code') return <LinkExpired />;
  if (code === 'api_key_required') return <NoLongerAdmin />;
  return (
    <AuthLayout
      title="Freeze live payouts"
      lead="Freezing stops new live payouts at once, from the dashboard and from API keys. Only Kelpie support can allow them again."
    >
      {freezing.error !== null && (
        <Problem
          error={freezing.error}
          title="Live payouts were not frozen."
          unknown="We don't know whether live payouts were frozen. Try again: that is safe."
        />
      )}
      <Button kind="danger" isWorking={freezing.isPending} onClick={() => freezing.mutate()}>
        {freezing.isPending ? 'Freezing…' : 'Freeze live payouts'}
      </Button>
      <p className="text-muted">If you made the change yourself, close this page.</p>
    </AuthLayout>
  );
}

function Frozen({ account }: { account: string }) {
  return (
    <AuthLayout
      title="Live payouts are frozen"
      lead={
        <>
          <strong className="font-medium text-ink">{account}</strong> sends no new live payouts. Payouts that the bank
          has accepted continue.
        </>
      }
    >
      <div role="status" className="grid gap-2">
        <p>Do this next:</p>
        <ol className="grid list-decimal gap-1 pl-5">
          <li>End sessions that you don't know.</li>
          <li>Revoke API keys and remove members that you didn't add.</li>
          <li>
            <Support>Contact support</Support> to allow payouts again.
          </li>
        </ol>
      </div>
      <ButtonLink kind="primary" to="/live/security">
        Review security
      </ButtonLink>
    </AuthLayout>
  );
}

function LinkExpired() {
  return (
    <AuthLayout title="This link doesn't work" lead="It has expired, or part of it is missing. Nothing was frozen.">
      <p>
        Open the link in the newest email about the change. If it doesn't work either,{' '}
        <Support>contact support</Support> to freeze the account.
      </p>
      <ButtonLink to="/live/security">Review security</ButtonLink>
    </AuthLayout>
  );
}

function NoLongerAdmin() {
  return (
    <AuthLayout
      title="You are no longer an admin"
      lead="Only a current admin can freeze live payouts. Nothing was frozen."
    >
      <p>
        If someone removed you without permission, <Support>contact support</Support> at once from the address that
        received this email. Support can freeze the account and restore your access.
      </p>
    </AuthLayout>
  );
}

/** Before sign-in, the address comes from the API's own description. */
function Support({ children }: { children: ReactNode }) {
  const email = useSupportEmail();
  if (email === undefined) return <>{children}</>;
  return (
    <a href={`mailto:${email}`} title={email} className="font-medium text-tide underline underline-offset-2">
      {children}
    </a>
  );
}
