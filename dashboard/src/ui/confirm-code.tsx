import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Confirming } from '../data/confirmed.ts';
import { useSession } from '../data/session.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { CodeField, isWholeCode } from './code-field.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmCodeProps {
  /** What the code confirms, and for how long. */
  children: ReactNode;
  /** The verb and object on the button. */
  action: string;
  /** The same while it works. */
  working: string;
  isWorking: boolean;
  isWrong: boolean;
  /** What is certain after a wrong code. */
  afterWrong: string;
  onConfirm: (code: string) => void;
  onResend: () => void;
  /** The button that leaves this step. */
  back: ReactNode;
  problem?: ReactNode;
  className?: string;
}

/** The step between a request and its effect: the person types the code that we emailed. */
export function ConfirmCode(props: ConfirmCodeProps) {
  const { children, action, working, isWorking, isWrong, afterWrong, onConfirm, onResend, back, problem, className } =
    props;
  const { email } = useSession();
  const [code, setCode] = useState('');
  const [isResend, setResend] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!isWrong || isWorking) return;
    // A screen reader reads the error, and the next digit replaces the wrong code.
    const field = form.current?.querySelector('input');
    field?.focus();
    field?.select();
  }, [isWrong, isWorking]);
  return (
    <form
      ref={form}
      className={classNames('grid gap-4', className)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWholeCode(code) || isWorking) return;
        setResend(false);
        onConfirm(code);
      }}
    >
      <p role="status">
        We emailed a {isResend && !isWorking && problem === undefined && 'new '}code to{' '}
        <strong className="font-medium">{email}</strong>. {children}
      </p>
      <CodeField
        value={code}
        onChange={setCode}
        error={isWrong ? `That code is wrong or has expired. ${afterWrong} Request a new code.` : undefined}
      />
      {problem}
      <div className="flex flex-wrap justify-between gap-2">
        <Button
          kind="quiet"
          className="-ml-3.5"
          isWorking={isWorking}
          onClick={() => {
            setCode('');
            setResend(true);
            onResend();
          }}
        >
          Email a new code
        </Button>
        <div className="ml-auto flex flex-wrap gap-2">
          {back}
          <Button kind="primary" type="submit" isWorking={isWorking} disabled={!isWholeCode(code)}>
            {isWorking && !isResend ? working : action}
          </Button>
        </div>
      </div>
    </form>
  );
}

interface ConfirmActProps {
  confirming: Confirming;
  /** Completes "It confirms". */
  what: ReactNode;
  action: string;
  onCancel: () => void;
  problem?: ReactNode;
}

/** The same for every change that the API wants confirmed. It takes the place of the form that began it. */
export function ConfirmAct({ confirming, what, action, onCancel, problem }: ConfirmActProps) {
  return (
    <ConfirmCode
      action={action}
      working={`${action}…`}
      isWorking={confirming.isPending}
      isWrong={confirming.isCodeWrong}
      afterWrong="Nothing changed."
      onConfirm={confirming.confirm}
      onResend={confirming.resend}
      problem={confirming.error === null ? undefined : problem}
      back={
        <Button onClick={onCancel} disabled={confirming.isPending}>
          Cancel
        </Button>
      }
    >
      It confirms {what}. The code is valid for 5 minutes and only for this change.
    </ConfirmCode>
  );
}

/** Where what began it is no dialog. */
export function ConfirmDialog(props: ConfirmActProps) {
  return (
    <Dialog title="Check your email" isOpen={props.confirming.isCodeWanted} onClose={props.onCancel} isSticky>
      <ConfirmAct {...props} />
    </Dialog>
  );
}
