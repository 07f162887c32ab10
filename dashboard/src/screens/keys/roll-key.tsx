import type { ApiKey, ApiKeyCreated } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Secret } from '../../ui/secret.tsx';

type Overlap = '0' | '1' | '24' | '72';

const overlaps: readonly { value: Overlap; label: string }[] = [
  { value: '0', label: 'It stops at once' },
  { value: '1', label: 'For 1 hour' },
  { value: '24', label: 'For 24 hours' },
  { value: '72', label: 'For 72 hours' },
];

/** Replaces a key's secret. Both secrets work for a while, so that servers can change over without downtime. */
export function RollKey({ apiKey }: { apiKey: ApiKey }) {
  const kelpie = useKelpie();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState<Overlap>('24');
  const rolling = useConfirmed({
    act: async (hours: number, options) => kelpie.keys.roll(apiKey.id, { overlap_hours: hours }, options),
    onSettled: async () => client.invalidateQueries({ queryKey: ['keys'] }),
    // The secret is not to outlive the dialog.
    gcTime: 0,
  });
  const close = (): void => {
    setOpen(false);
    setOverlap('24');
    rolling.reset();
  };
  const problem = rolling.error !== null && (
    <Problem
      error={rolling.error}
      title="The key was not rolled."
      unknown="We don't know whether the key was rolled. Check its prefix in the list. If it changed, roll the key again."
    />
  );
  const name = apiKey.label ?? apiKey.key_prefix;
  return (
    <>
      <Button kind="quiet" className="max-sm:-mr-2" onClick={() => setOpen(true)} aria-label={`Roll ${name}`}>
        Roll
      </Button>
      <Dialog
        title={rolling.data === undefined ? `Roll ${name}` : 'Copy your key now'}
        isOpen={isOpen}
        onClose={close}
        isSticky={rolling.isSuccess || rolling.isCodeWanted}
      >
        {rolling.data !== undefined ? (
          <Rolled rolled={rolling.data} onDone={close} />
        ) : rolling.isCodeWanted ? (
          <ConfirmAct
            confirming={rolling}
            what={<>a new secret for {name}</>}
            action="Roll key"
            onCancel={close}
            problem={problem}
          />
        ) : (
          <form
            className="grid gap-4 whitespace-normal"
            onSubmit={(event) => {
              event.preventDefault();
              rolling.run(Number(overlap));
            }}
          >
            <p>The key gets a new secret. Its ID, label and limits stay.</p>
            <Choice
              label="Current secret keeps working"
              value={overlap}
              options={overlaps}
              onChange={setOverlap}
              hint="Put the new secret on your servers in this time. If the current one leaked, stop it at once."
            />
            {apiKey.previous_key_prefix !== null && (
              <p>
                The secret before it, <code className="font-mono text-small">{apiKey.previous_key_prefix}…</code>, stops
                working now.
              </p>
            )}
            {problem}
            <DialogActions>
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" type="submit" isWorking={rolling.isPending}>
                Roll key
              </Button>
            </DialogActions>
          </form>
        )}
      </Dialog>
    </>
  );
}

function Rolled({ rolled, onDone }: { rolled: ApiKeyCreated; onDone: () => void }) {
  return (
    <Secret secret={rolled.secret} what="key" note={rolled.note} onDone={onDone}>
      <p className="whitespace-normal">
        {rolled.previous_expires_at === null ? (
          'The previous secret no longer works.'
        ) : (
          <>
            The previous secret works until <Timestamp at={rolled.previous_expires_at} />.
          </>
        )}
      </p>
    </Secret>
  );
}
