import { KelpieError, type Session } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeField, isWholeCode } from '../../ui/code-field.tsx';
import { Problem } from '../../ui/problem.tsx';

interface CodeFormProps {
  /** Trades the code for a session. */
  signIn: (code: string) => Promise<Session>;
  /** Has a new code mailed. */
  resend: () => Promise<unknown>;
  onSignedIn: (session: Session) => void;
  onBack: () => void;
}

const resendAfterSeconds = 30;

function isWrongCode(error: Error | null): boolean {
  return error instanceof KelpieError && error.code === 'invalid_code';
}

function useCountdown(): [left: number, restart: () => void] {
  const [left, setLeft] = useState(resendAfterSeconds);
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return [left, () => setLeft(resendAfterSeconds)];
}

export function CodeForm({ signIn, resend, onSignedIn, onBack }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [left, restart] = useCountdown();
  const signing = useMutation({
    mutationFn: signIn,
    onSuccess: onSignedIn,
    // A code that is wrong is typed anew; one that could not be tried is tried again.
    onError: (error) => isWrongCode(error) && setCode(''),
  });
  const resending = useMutation({ mutationFn: resend, onSuccess: restart });
  const isWrong = isWrongCode(signing.error);
  const send = (whole: string): void => {
    if (!signing.isPending) signing.mutate(whole);
  };
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWholeCode(code)) send(code);
      }}
    >
      <CodeField
        value={code}
        onChange={(typed) => {
          setCode(typed);
          if (isWholeCode(typed)) send(typed);
        }}
        error={
          isWrong ? 'This code is wrong, used or over. Look for the newest mail, or have a new one sent.' : undefined
        }
      />
      {signing.error !== null && !isWrong && <Problem error={signing.error} title="You are not signed in." />}
      {resending.error !== null && <Problem error={resending.error} title="No new code was sent." />}
      <Button
        kind="primary"
        type="submit"
        isWorking={signing.isPending}
        disabled={!isWholeCode(code) && !signing.isPending}
      >
        {signing.isPending ? 'Signing in…' : 'Sign in'}
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button kind="quiet" onClick={onBack} className="-ml-3.5">
          Use another address
        </Button>
        {left > 0 ? (
          <p className="figures self-center text-muted">New code in {left} s</p>
        ) : (
          <Button kind="quiet" className="-mr-3.5" isWorking={resending.isPending} onClick={() => resending.mutate()}>
            Send a new code
          </Button>
        )}
      </div>
    </form>
  );
}
