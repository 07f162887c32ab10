import type { Delivery } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useKelpie } from '../../data/environment.ts';
import { useForgetWebhooks } from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';

/** Sends one event again. It is safe, so it asks nothing first. */
export function Redeliver({ delivery: { webhook_id: id, event_id: eventId, status } }: { delivery: Delivery }) {
  const kelpie = useKelpie();
  const forget = useForgetWebhooks();
  const redelivering = useMutation({
    mutationFn: async () => kelpie.webhooks.redeliver(id, { eventId }),
    onSettled: forget,
  });
  return (
    <div className="grid justify-items-end gap-2">
      <Button kind="primary" isWorking={redelivering.isPending} onClick={() => redelivering.mutate()}>
        {status === 'pending' ? 'Try now' : 'Redeliver'}
      </Button>
      {redelivering.error !== null && (
        <Problem
          error={redelivering.error}
          title="The event was not redelivered."
          unknown="We don't know whether the event is sent again. Try again: that is safe."
        />
      )}
      {redelivering.isSuccess && (
        <p role="status" className="text-small text-muted">
          Queued to be sent again.
        </p>
      )}
    </div>
  );
}
