import type { Payout } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { useIsAdmin } from '../../data/session.ts';
import { formatPounds } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';

/** Stops a payout, where the bank still can. */
export function Cancel({ payout }: { payout: Payout }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const [isOpen, setOpen] = useState(false);
  const cancelling = useMutation({
    mutationFn: async () => kelpie.payouts.cancel(payout.id),
    onSuccess: (cancelled) => {
      client.setQueryData([environment, 'payout', payout.id], cancelled);
      setOpen(false);
    },
    onSettled: async () => client.invalidateQueries({ queryKey: [environment] }),
  });
  const isUnderWay = payout.status === 'pending' || payout.status === 'processing';
  if (!isAdmin || (!isUnderWay && !isOpen)) return null;
  const close = (): void => {
    setOpen(false);
    cancelling.reset();
  };
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Cancel payout
      </Button>
      <Dialog title="Cancel this payout?" isOpen={isOpen} onClose={close}>
        <p>
          We ask the bank to stop {formatPounds(payout.amount_gbp)} to{' '}
          <bdi>{payout.recipient.name ?? 'the recipient'}</bdi>. If it is too late, the payout continues.
        </p>
        {cancelling.error !== null && (
          <Problem
            error={cancelling.error}
            title="The payout was not cancelled."
            unknown="We don't know whether the payout was cancelled."
          />
        )}
        <DialogActions>
          <Button onClick={close}>Keep payout</Button>
          <Button kind="danger" isWorking={cancelling.isPending} onClick={() => cancelling.mutate()}>
            Cancel {formatPounds(payout.amount_gbp)}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
