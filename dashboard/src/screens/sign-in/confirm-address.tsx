import { KelpieError } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { kelpie } from '../../data/kelpie.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { useLinkToken } from './use-link-token.ts';

/** Opened from the email to a contact or billing address. Email scanners open links, so a button confirms. */
export function Screen() {
  const token = useLinkToken();
  const confirming = useMutation({ mutationFn: async () => kelpie.auth.confirmAddress({ token }) });
  const code = confirming.error instanceof KelpieError ? confirming.error.code : undefined;
  if (confirming.isSuccess) return <Confirmed account={confirming.data.account} />;
  if (token === '' || code === 'invalid_code') return <LinkExpired />;
  return (
    <AuthLayout
      title="Confirm this email address"
      lead="Confirm that you read the mailbox that this link was sent to. An account's alerts or invoices then go there."
    >
      {confirming.error !== null && (
        <Problem
          error={confirming.error}
          title="The address was not confirmed."
          unknown="We don't know whether the address was confirmed. Try again: that is safe."
        />
      )}
      <Button kind="primary" isWorking={confirming.isPending} onClick={() => confirming.mutate()}>
        {confirming.isPending ? 'Confirming…' : 'Confirm the address'}
      </Button>
      <p className="text-muted">If you don't expect this, close this page. We send nothing more to this address.</p>
    </AuthLayout>
  );
}

function Confirmed({ account }: { account: string }) {
  return (
    <AuthLayout
      title="The address is confirmed"
      lead={
        <>
          Emails about <strong className="font-medium text-ink">{account}</strong> go to it from now on.
        </>
      }
    >
      <p role="status">You can close this page.</p>
    </AuthLayout>
  );
}

function LinkExpired() {
  return (
    <AuthLayout
      title="This link doesn't work"
      lead="It has expired, part of it is missing, or the account has another address now."
    >
      <p>Ask an admin of the account to remove the address from the settings and to enter it again.</p>
    </AuthLayout>
  );
}
