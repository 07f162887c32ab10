import { KelpieError, type SignUpRequest } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { kelpie } from '../../data/kelpie.ts';
import { completeSignIn } from '../../data/passkeys.ts';
import { useBeginSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { CodeForm } from './code-form.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { isShortName, shortNameOf } from './short-name.ts';
import { signUpWithProof } from './sign-up-with-proof.ts';

export function Screen() {
  const navigate = useNavigate();
  const beginSession = useBeginSession();
  const [wanted, setWanted] = useState<SignUpRequest>();
  const asking = useMutation({ mutationFn: async (request: SignUpRequest) => signUpWithProof(request) });
  if (wanted !== undefined && asking.isSuccess) {
    return (
      <AuthLayout
        title="Check your email"
        lead={
          <>
            We emailed a 6-digit code to <strong className="font-medium text-ink">{wanted.email}</strong>. Enter it to
            create the account. The code is valid for 10 minutes.
          </>
        }
      >
        <CodeForm
          signIn={async (code) =>
            completeSignIn(await kelpie.auth.signIn({ email: wanted.email, code, slug: wanted.slug }))
          }
          resend={async () => signUpWithProof(wanted)}
          onSignedIn={(session) => {
            beginSession(session);
            void navigate('/sandbox', { replace: true });
          }}
          onBack={() => asking.reset()}
        />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout
      title="Create account"
      lead="You start in the sandbox with 10,000.00 USDC of test money. The sandbox is free."
    >
      <SignUpForm
        isWorking={asking.isPending}
        error={asking.error}
        onSubmit={(request) => {
          setWanted(request);
          asking.mutate(request);
        }}
      />
      <p className="text-muted">
        Already have an account?{' '}
        <Link to="/sign-in" className="font-medium text-tide underline underline-offset-2">
          Sign in
        </Link>
      </p>
    </AuthLayout>
  );
}

interface SignUpFormProps {
  isWorking: boolean;
  error: Error | null;
  onSubmit: (request: SignUpRequest) => void;
}

function SignUpForm({ isWorking, error, onSubmit }: SignUpFormProps) {
  const [business, setBusiness] = useState('');
  const [typedSlug, setTypedSlug] = useState<string>();
  const [fullName, setFullName] = useState('');
  const [email, setEmail] = useState('');
  const slug = typedSlug ?? shortNameOf(business);
  const isTaken = error instanceof KelpieError && error.code === 'slug_taken';
  const isWhole = business.trim() !== '' && isShortName(slug) && email.includes('@');
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWhole || isWorking) return;
        const person = fullName.trim() === '' ? {} : { full_name: fullName.trim() };
        onSubmit({ name: business.trim(), slug, email: email.trim(), ...person });
      }}
    >
      <Field
        label="Business name"
        name="business"
        isRequired
        autoFocus
        autoComplete="organization"
        maxLength={120}
        value={business}
        onChange={setBusiness}
      />
      <Field
        label="Short name"
        name="slug"
        isRequired
        maxLength={40}
        value={slug}
        onChange={(typed) => setTypedSlug(typed.toLowerCase())}
        hint="Used in web addresses. Lowercase letters, digits and hyphens."
        error={isTaken ? 'This short name is taken. Choose another.' : undefined}
      />
      <Field
        label="Your name"
        name="name"
        autoComplete="name"
        maxLength={120}
        value={fullName}
        onChange={setFullName}
      />
      <Field
        label="Work email"
        name="email"
        type="email"
        isRequired
        autoComplete="email"
        value={email}
        onChange={setEmail}
      />
      {error !== null && !isTaken && <Problem error={error} title="The account was not created." />}
      <Button kind="primary" type="submit" isWorking={isWorking} disabled={!isWhole}>
        Email me a code
      </Button>
    </form>
  );
}
