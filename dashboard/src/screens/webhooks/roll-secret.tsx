import type { Webhook } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { useForgetWebhooks } from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

type Overlap = '0' | '1' | '24' | '72';

const overlaps: readonly { value: Overlap; label: string }[] = [
  { value: '0', label: 'It stops at once' },
  { value: '1', label: 'For 1 hour' },
  { value: '24', label: 'For 24 hours' },
  { value: '72', label: 'For 72 hours' },
];

/** Replaces the secret. Both sign for a while, so that a server can change over without refusing an event. */
export function RollSecret({ webhook }: { webhook: Webhook }) {
  const kelpie = useKelpie();
  const forget = useForgetWebhooks();
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState<Overlap>('24');
  const rolling = useMutation({
    mutationFn: async (hours: number) => kelpie.webhooks.rollSecret(webhook.id, { overlap_hours: hours }),
    onSettled: forget,
    // The secret is not to outlive the dialog.
    gcTime: 0,
  });
  const close = (): void => {
    setOpen(false);
    setOverlap('24');
    rolling.reset();
  };
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Roll secret
      </Button>
      <Dialog
        title={rolling.isSuccess ? 'Copy the secret now' : 'Roll secret'}
        isOpen={isOpen}
        onClose={close}
        isSticky={rolling.isSuccess}
      >
        {rolling.isSuccess ? (
          <Secret
            secret={rolling.data.secret}
            what="secret"
            note="Your server verifies the signature of each event with this secret. We show it once."
            onDone={close}
          >
            <PreviousSecret until={rolling.data.previous_secret_expires_at} />
          </Secret>
        ) : (
          <form
            className="grid gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              if (!rolling.isPending) rolling.mutate(Number(overlap));
            }}
          >
            <p>The webhook gets a new secret. Meanwhile each event has two signatures, one by each secret.</p>
            <Choice
              label="Current secret keeps signing"
              value={overlap}
              options={overlaps}
              onChange={setOverlap}
              hint="Put the new secret on your server in this time. If the current one leaked, stop it at once."
            />
            {webhook.previous_secret_expires_at !== null && <p>The secret before it stops signing now.</p>}
            {rolling.error !== null && (
              <Problem
                error={rolling.error}
                title="The secret was not rolled."
                unknown="We don't know whether the secret was rolled. Roll it again to get one that you can copy."
              />
            )}
            <DialogActions>
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" type="submit" isWorking={rolling.isPending}>
                Roll secret
              </Button>
            </DialogActions>
          </form>
        )}
      </Dialog>
    </>
  );
}

function PreviousSecret({ until }: { until: string | null }) {
  if (until === null) return <p>The previous secret no longer signs.</p>;
  return (
    <p>
      The previous secret signs too until <Timestamp at={until} />.
    </p>
  );
}
