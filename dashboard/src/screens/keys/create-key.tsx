import type { ApiKeyCreated, CreateKeyRequest } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

interface CreateKeyProps {
  isOpen: boolean;
  onClose: () => void;
}

/** The secret is in this dialog, and nowhere else, ever: so a click beside it does not close it. */
export function CreateKey({ isOpen, onClose }: CreateKeyProps) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [label, setLabel] = useState('');
  const creating = useConfirmed({
    act: async (request: CreateKeyRequest, options) => kelpie.keys.create(request, options),
    onSettled: async () => client.invalidateQueries({ queryKey: ['keys'] }),
    // The secret is not to outlive the dialog.
    gcTime: 0,
  });
  const close = (): void => {
    setLabel('');
    creating.reset();
    onClose();
  };
  const problem = creating.error !== null && (
    <Problem
      error={creating.error}
      title="The key was not created."
      unknown="We don't know whether the key was created. Check the list, and revoke a key that you did not copy."
    />
  );
  const named = label.trim();
  return (
    <Dialog
      title={creating.data === undefined ? `Create ${environment} key` : 'Copy your key now'}
      isOpen={isOpen}
      onClose={close}
      isSticky={creating.isSuccess || creating.isCodeWanted}
    >
      {creating.data !== undefined && <Secret created={creating.data} onDone={close} />}
      {creating.isCodeWanted && (
        <ConfirmAct
          confirming={creating}
          what={named === '' ? 'a live key without a label' : <>the live key {named}</>}
          action="Create key"
          onCancel={close}
          problem={problem}
        />
      )}
      {creating.data === undefined && !creating.isCodeWanted && (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            creating.run({ environment, ...(named === '' ? {} : { label: named }) });
          }}
        >
          {environment === 'live' && (
            <p>A live key moves real money. Keep it on your server, never in a web page or an app.</p>
          )}
          <Field
            label="Label"
            name="label"
            autoFocus
            maxLength={60}
            autoComplete="off"
            value={label}
            onChange={setLabel}
            hint="What uses the key, such as Shop or Payroll."
          />
          {problem}
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" isWorking={creating.isPending}>
              Create key
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}

function Secret({ created, onDone }: { created: ApiKeyCreated; onDone: () => void }) {
  return (
    <>
      <p>{created.note}</p>
      <p className="flex items-start justify-between gap-3 rounded-md border border-line-strong bg-sunken px-3 py-2.5">
        <code data-testid="secret" className="min-w-0 font-mono text-small break-all">
          {created.secret}
        </code>
        <CopyButton text={created.secret} what="key" />
      </p>
      <DialogActions>
        <Button kind="primary" onClick={onDone}>
          I copied the key
        </Button>
      </DialogActions>
    </>
  );
}
