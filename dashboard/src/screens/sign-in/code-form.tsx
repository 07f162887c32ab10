import { KelpieError, type Session } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeField, isWholeCode } from '../../ui/code-field.tsx';
import { Problem } from '../../ui/problem.tsx';

interface CodeFormProps {
  /** Trades the code for a session. */
  signIn: (code: string) => Promise<Session>;
  /** Sends a new code. */
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
    // A wrong code has to be typed again. One that could not be checked is kept for a retry.
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
        error={isWrong ? 'That code is wrong or has expired. Use the newest email, or send a new code.' : undefined}
      />
      {signing.error !== null && !isWrong && <Problem error={signing.error} title="You were not signed in." />}
      {resending.error !== null && <Problem error={resending.error} title="The code was not sent." />}
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
          Use another email
        </Button>
        {left > 0 ? (
          <p className="figures self-center text-muted">Send a new code in {left} s</p>
        ) : (
          <Button kind="quiet" className="-mr-3.5" isWorking={resending.isPending} onClick={() => resending.mutate()}>
            Send a new code
          </Button>
        )}
      </div>
    </form>
  );
}
