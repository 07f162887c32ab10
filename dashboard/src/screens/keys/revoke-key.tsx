import type { ApiKey } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

/** A revoked key can't be restored, so its prefix has to be typed first. */
export function RevokeKey({ apiKey }: { apiKey: ApiKey }) {
  const kelpie = useKelpie();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const close = (): void => {
    setOpen(false);
    setTyped('');
    revoking.reset();
  };
  const revoking = useMutation({
    mutationFn: async () => kelpie.keys.revoke(apiKey.id),
    onSuccess: close,
    onSettled: async () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  const word = apiKey.key_prefix;
  const isTyped = typed.trim() === word;
  return (
    <>
      <Button
        kind="quiet"
        className="-mr-2"
        onClick={() => setOpen(true)}
        aria-label={`Revoke ${apiKey.label ?? word}`}
      >
        Revoke
      </Button>
      <Dialog title="Revoke this key?" isOpen={isOpen} onClose={close}>
        <form
          className="grid gap-4 whitespace-normal"
          onSubmit={(event) => {
            event.preventDefault();
            if (isTyped && !revoking.isPending) revoking.mutate();
          }}
        >
          <p>
            Requests with this key are refused at once. You can't undo this. To confirm, type{' '}
            <code className="font-mono text-small font-semibold break-all">{word}</code>
          </p>
          <Field
            label="Key prefix"
            isRequired
            autoFocus
            autoComplete="off"
            value={typed}
            onChange={setTyped}
            className="font-mono"
          />
          {revoking.error !== null && (
            <Problem
              error={revoking.error}
              title="The key was not revoked."
              unknown="We don't know whether the key was revoked. Revoke it again: that is safe."
            />
          )}
          <DialogActions>
            <Button onClick={close}>Keep key</Button>
            <Button kind="danger" type="submit" disabled={!isTyped} isWorking={revoking.isPending}>
              Revoke key
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </>
  );
}
