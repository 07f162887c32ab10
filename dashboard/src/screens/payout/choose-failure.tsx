import type { SandboxFailRequest, SandboxReturnRequest } from '@kelpie/sdk';
import { useState, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

type Requests = { fail: SandboxFailRequest; return: SandboxReturnRequest };
export type FailureCode<Kind extends keyof Requests> = NonNullable<Requests[Kind]['failure_code']>;

const failures: readonly FailureCode<'fail'>[] = [
  'account_not_found',
  'account_closed',
  'account_blocked',
  'name_mismatch',
  'regulatory',
  'bank_rejected_details',
  'unknown',
];

/** The codes of each, the usual one first. */
const codes: { [Kind in keyof Requests]: readonly FailureCode<Kind>[] } = {
  fail: failures,
  return: ['recipient_declined', 'recalled', ...failures],
};

const words = {
  fail: {
    title: 'Fail this payout',
    explains: 'The bank cannot deliver it. The money returns to the wallet at once.',
    button: 'Fail payout',
  },
  return: {
    title: 'Return this payout',
    explains: "The recipient's bank sends it back. A payout on its way is completed first.",
    button: 'Return payout',
  },
} as const;

interface ChooseFailureProps<Kind extends keyof Requests> {
  of: Kind;
  problem: ReactNode;
  isWorking: boolean;
  onClose: () => void;
  onChosen: (code: FailureCode<Kind>) => void;
}

/** The code as programs see it: what is tested here is what they do with it. */
export function ChooseFailure<Kind extends keyof Requests>(props: ChooseFailureProps<Kind>) {
  const { of, problem, isWorking, onClose, onChosen } = props;
  const all: readonly FailureCode<Kind>[] = codes[of];
  const [chosen, setChosen] = useState<FailureCode<Kind> | undefined>(all[0]);
  const { title, explains, button } = words[of];
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <p>{explains}</p>
      <Choice
        label="Failure code"
        value={chosen ?? ''}
        options={all.map((code) => ({ value: code, label: code }))}
        onChange={(code) => setChosen(all.find((one) => one === code))}
        hint="What the payout has as failure_code."
      />
      {problem}
      <DialogActions>
        <Button onClick={onClose}>Keep payout</Button>
        <Button kind="danger" isWorking={isWorking} onClick={() => chosen !== undefined && onChosen(chosen)}>
          {button}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
