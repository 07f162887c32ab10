import type { CreateWebhookRequest } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { useForgetWebhooks } from '../../data/webhooks.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Secret } from '../../ui/secret.tsx';
import { emptyWebhookDraft } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';

interface CreateWebhookProps {
  isOpen: boolean;
  onClose: () => void;
}

/** The secret is in this dialog, and nowhere else, ever: so a click beside it does not close it. */
export function CreateWebhook({ isOpen, onClose }: CreateWebhookProps) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const forget = useForgetWebhooks();
  const creating = useMutation({
    mutationFn: async (request: CreateWebhookRequest) => kelpie.webhooks.create(request),
    onSettled: forget,
    // The secret is not to outlive the dialog.
    gcTime: 0,
  });
  const close = (): void => {
    creating.reset();
    onClose();
  };
  return (
    <Dialog
      title={creating.isSuccess ? 'Copy the secret now' : `Create ${environment} webhook`}
      isOpen={isOpen}
      onClose={close}
      isSticky={creating.isSuccess}
    >
      {creating.isSuccess ? (
        <Secret
          secret={creating.data.secret}
          what="secret"
          note="Your server verifies the signature of each event with this secret. We show it once."
          onDone={close}
        >
          {environment === 'live' && <p>We emailed all admins about the new webhook.</p>}
        </Secret>
      ) : (
        <WebhookForm
          initial={emptyWebhookDraft}
          action="Create webhook"
          isWorking={creating.isPending}
          error={creating.error}
          onSubmit={(request) => creating.mutate(request)}
          onCancel={close}
          problem={
            creating.error !== null && (
              <Problem
                error={creating.error}
                title="The webhook was not created."
                unknown="We don't know whether the webhook was created. Check the list, and delete a webhook whose secret you don't have."
              />
            )
          }
        />
      )}
    </Dialog>
  );
}
