import type { SandboxDepositRequest } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

const methods = [
  { value: 'bank_transfer', label: 'Bank transfer in pounds' },
  { value: 'usdc', label: 'USDC' },
] as const;
type Method = (typeof methods)[number]['value'];

const most = 100_000;

/** The amount as the API takes it, with two decimals; undefined for anything else. */
function amountFrom(typed: string): string | undefined {
  const plain = typed.trim().replaceAll(',', '');
  if (!/^\d{1,6}(\.\d{1,2})?$/.test(plain)) return undefined;
  const [whole = '', cents = ''] = plain.split('.');
  const amount = `${whole}.${cents.padEnd(2, '0')}`;
  return Number(amount) >= 1 && Number(amount) <= most ? amount : undefined;
}

function requestOf(method: Method, amount: string): SandboxDepositRequest {
  return method === 'usdc' ? { amount_usdc: amount } : { amount_gbp: amount };
}

/** A top-up that the sandbox bank receives at once. */
export function AddTestMoney() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add test money</Button>
      {isOpen && <TestMoney onClose={() => setOpen(false)} />}
    </>
  );
}

function TestMoney({ onClose }: { onClose: () => void }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [method, setMethod] = useState<Method>('bank_transfer');
  const [typed, setTyped] = useState('1000.00');
  const adding = useMutation({
    mutationFn: async (request: SandboxDepositRequest) => kelpie.sandbox.createDeposit(request),
    onSettled: async () => client.invalidateQueries({ queryKey: [environment] }),
  });
  const amount = amountFrom(typed);
  return (
    <Dialog title="Add test money" isOpen onClose={onClose}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (amount !== undefined && !adding.isPending) adding.mutate(requestOf(method, amount));
        }}
      >
        <p>The sandbox bank receives it at once and credits your wallet, less its fee.</p>
        <Choice label="Sent as" value={method} options={methods} onChange={setMethod} />
        <Field
          label="Amount"
          name="amount"
          isRequired
          autoFocus
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={setTyped}
          error={typed !== '' && amount === undefined ? 'Enter an amount from 1.00 to 100,000.00.' : undefined}
          {...(method === 'usdc' ? {} : { prefix: '£' })}
          className="figures"
        />
        {adding.error !== null && (
          <Problem
            error={adding.error}
            title="No test money was added."
            unknown="We don't know whether the test money was added. Check your top-ups before you try again."
          />
        )}
        {adding.data !== undefined && !adding.isPending && (
          <p role="status" className="figures font-medium text-completed">
            {formatUsdc(adding.data.amount_usdc ?? '0.00')} credited.
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>{adding.isSuccess ? 'Close' : 'Cancel'}</Button>
          <Button kind="primary" type="submit" disabled={amount === undefined} isWorking={adding.isPending}>
            {adding.isSuccess ? 'Add more' : 'Add test money'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
