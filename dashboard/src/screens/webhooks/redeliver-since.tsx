import type { Redelivered } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { useForgetWebhooks } from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

/** A whole number as the API takes it; undefined for anything else. */
function sequenceFrom(typed: string): number | undefined {
  const sequence = /^\d{1,16}$/.test(typed.trim()) ? Number(typed) : undefined;
  return sequence !== undefined && Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** Sends all events again after a sequence: for a server that was down, or lost what it had. */
export function RedeliverSince({ webhookId }: { webhookId: string }) {
  const kelpie = useKelpie();
  const forget = useForgetWebhooks();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const redelivering = useMutation({
    mutationFn: async (after: number) => kelpie.webhooks.redeliver(webhookId, { after }),
    onSuccess: ({ has_more: hasMore, last_sequence: last }) => {
      // The next 5,000 begin where these ended.
      if (hasMore && last !== null) setTyped(String(last));
    },
    onSettled: forget,
  });
  const after = sequenceFrom(typed);
  const close = (): void => {
    setOpen(false);
    setTyped('');
    redelivering.reset();
  };
  return (
    <>
      <Button kind="quiet" className="-mr-3.5" onClick={() => setOpen(true)}>
        Redeliver everything since…
      </Button>
      <Dialog title="Redeliver events" isOpen={isOpen} onClose={close}>
        <form
          noValidate
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (after !== undefined && !redelivering.isPending) redelivering.mutate(after);
          }}
        >
          <p>
            We send every event after this sequence again, also those that were delivered or left out. Your server can
            skip what it has by the sequence.
          </p>
          <Field
            label="Last sequence you have"
            name="after"
            isRequired
            autoFocus
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={setTyped}
            error={typed !== '' && after === undefined ? 'Enter a whole number.' : undefined}
            hint="0 for all of the last 90 days. At most 5,000 events at once."
            className="figures"
          />
          {redelivering.error !== null && (
            <Problem
              error={redelivering.error}
              title="Nothing was redelivered."
              unknown="We don't know whether the events are sent again. Try again: that is safe."
            />
          )}
          {redelivering.data !== undefined && <Sent redelivered={redelivering.data} />}
          <DialogActions>
            <Button onClick={close}>{redelivering.isSuccess ? 'Close' : 'Cancel'}</Button>
            <Button kind="primary" type="submit" disabled={after === undefined} isWorking={redelivering.isPending}>
              Redeliver events
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </>
  );
}

function Sent({ redelivered: { count, last_sequence: last, has_more: hasMore } }: { redelivered: Redelivered }) {
  const number = count.toLocaleString('en-GB');
  return (
    <p role="status" className="font-medium">
      {count === 0
        ? 'There are no events after this sequence that the webhook wants.'
        : `${number} ${count === 1 ? 'event is' : 'events are'} queued to be sent again, up to sequence ${last ?? ''}.`}
      {hasMore && ' There are more. Redeliver again to continue from there.'}
    </p>
  );
}
