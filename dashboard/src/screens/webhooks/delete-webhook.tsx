import type { Webhook } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAddress, useEnvironment, useKelpie } from '../../data/environment.ts';
import { webhookName } from '../../format/webhook-labels.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';

export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const address = useAddress();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const deleting = useMutation({
    mutationFn: async () => kelpie.webhooks.delete(webhook.id),
    onSuccess: async () => {
      await navigate(address('/webhooks'), { replace: true });
      client.removeQueries({ queryKey: [environment, 'webhook', webhook.id] });
    },
    onSettled: async () => client.invalidateQueries({ queryKey: [environment, 'webhooks'] }),
  });
  const close = (): void => {
    setOpen(false);
    deleting.reset();
  };
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Dialog title="Delete this webhook?" isOpen={isOpen} onClose={close}>
        <p>
          We stop sending to <strong className="font-medium break-words">{webhookName(webhook)}</strong> at once, also
          what is pending, and delete its log of deliveries. You can't undo this.
        </p>
        {deleting.error !== null && (
          <Problem
            error={deleting.error}
            title="The webhook was not deleted."
            unknown="We don't know whether the webhook was deleted. Check the list."
          />
        )}
        <DialogActions>
          <Button onClick={close}>Keep webhook</Button>
          <Button kind="danger" isWorking={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete webhook
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
