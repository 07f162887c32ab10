import type { CreateWebhookRequest, Webhook } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { useForgetWebhooks } from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { draftOf, webhookChange } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';

export function EditWebhook({ webhook }: { webhook: Webhook }) {
  const kelpie = useKelpie();
  const forget = useForgetWebhooks();
  const [isOpen, setOpen] = useState(false);
  const saving = useMutation({
    mutationFn: async (request: CreateWebhookRequest) =>
      kelpie.webhooks.update(webhook.id, webhookChange(webhook, request)),
    onSuccess: () => setOpen(false),
    onSettled: forget,
  });
  const close = (): void => {
    setOpen(false);
    saving.reset();
  };
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Dialog title="Edit webhook" isOpen={isOpen} onClose={close}>
        <WebhookForm
          initial={draftOf(webhook)}
          action="Save webhook"
          isWorking={saving.isPending}
          error={saving.error}
          onSubmit={(request) => saving.mutate(request)}
          onCancel={close}
          problem={
            saving.error !== null && (
              <Problem
                error={saving.error}
                title="The webhook was not changed."
                unknown="We don't know whether the webhook was changed. Save it again: that is safe."
              />
            )
          }
        />
      </Dialog>
    </>
  );
}
