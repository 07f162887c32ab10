import type { Webhook } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { shortUrl } from '../../format/webhook-labels.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line } from '../../ui/skeleton.tsx';
import { Answer, Outcome } from './answer.tsx';

/** Sends a test event when it is pressed, and shows what the URL answered. */
export function SendTest({ webhook: { id, url } }: { webhook: Webhook }) {
  const kelpie = useKelpie();
  const [isOpen, setOpen] = useState(false);
  const testing = useMutation({ mutationFn: async () => kelpie.webhooks.test(id) });
  const send = (): void => {
    setOpen(true);
    testing.mutate();
  };
  return (
    <>
      <Button kind="primary" onClick={send}>
        Send test event
      </Button>
      <Dialog title="Test event" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="text-muted">
          This posts an event of the type <code className="font-mono text-small">webhook.test</code> to{' '}
          <code className="font-mono text-small break-all">{shortUrl(url)}</code>, signed like any other. It is not in
          the log of deliveries.
        </p>
        {testing.error !== null && <Problem error={testing.error} title="The test event was not sent." />}
        {testing.isPending && (
          <p role="status" aria-label="Waiting for the answer">
            <Line width="w-40" />
          </p>
        )}
        {testing.data !== undefined && !testing.isPending && (
          <div role="status" className="grid min-w-0 gap-3">
            <Outcome answer={testing.data} />
            <Answer answer={testing.data} />
          </div>
        )}
        <DialogActions>
          <Button isWorking={testing.isPending} onClick={() => testing.mutate()}>
            Send another
          </Button>
          <Button kind="primary" onClick={() => setOpen(false)}>
            Close
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
