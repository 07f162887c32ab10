import type { Webhook } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { useForgetWebhooks } from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';

const words = {
  enabled: {
    action: 'Disable webhook',
    button: 'Disable',
    title: 'Disable this webhook?',
    text: 'We stop sending at once. Events from now on are left out. Once it is enabled again, you can redeliver them.',
    failed: 'The webhook was not disabled.',
  },
  disabled: {
    action: 'Enable webhook',
    button: 'Enable',
    title: 'Enable this webhook?',
    text: 'We send events from now on. To get those that were left out, redeliver everything since the last one you have.',
    failed: 'The webhook was not enabled.',
  },
};

/** Stops sending, or starts it again. */
export function SwitchWebhook({ webhook: { id, status } }: { webhook: Webhook }) {
  const kelpie = useKelpie();
  const forget = useForgetWebhooks();
  // What is asked stays as it was when the dialog opened, while the webhook changes behind it.
  const [asked, setAsked] = useState<Webhook['status']>();
  const said = words[asked ?? status];
  const close = (): void => {
    setAsked(undefined);
    switching.reset();
  };
  const switching = useMutation({
    mutationFn: async () => kelpie.webhooks.update(id, { enabled: asked === 'disabled' }),
    onSuccess: () => setAsked(undefined),
    onSettled: forget,
  });
  return (
    <>
      <Button kind="quiet" onClick={() => setAsked(status)}>
        {said.button}
      </Button>
      <Dialog title={said.title} isOpen={asked !== undefined} onClose={close}>
        <p>{said.text}</p>
        {switching.error !== null && (
          <Problem
            error={switching.error}
            title={said.failed}
            unknown="We don't know whether the webhook was changed. Try again: that is safe."
          />
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" isWorking={switching.isPending} onClick={() => switching.mutate()}>
            {said.action}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
