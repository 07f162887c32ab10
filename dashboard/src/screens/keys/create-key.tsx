import { KelpieError, type ApiKeyCreated, type CreateKeyRequest } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { emptyKeyDraft, keyMistakes, keyMistakesFrom, keyRequest } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';
import { Secret } from '../../ui/secret.tsx';

interface CreateKeyProps {
  isOpen: boolean;
  onClose: () => void;
}

/** The secret is in this dialog, and nowhere else, ever: so a click beside it does not close it. */
export function CreateKey({ isOpen, onClose }: CreateKeyProps) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [draft, setDraft] = useState(emptyKeyDraft);
  const creating = useConfirmed({
    act: async (request: CreateKeyRequest, options) => kelpie.keys.create(request, options),
    onSettled: async () => client.invalidateQueries({ queryKey: ['keys'] }),
    // The secret is not to outlive the dialog.
    gcTime: 0,
  });
  const close = (): void => {
    setDraft(emptyKeyDraft);
    creating.reset();
    onClose();
  };
  const mistakes = keyMistakes(draft);
  const said = creating.error instanceof KelpieError ? keyMistakesFrom(creating.error.fields) : {};
  const problem = creating.error !== null && (
    <Problem
      error={creating.error}
      title="The key was not created."
      unknown="We don't know whether the key was created. Check the list, and revoke a key that you did not copy."
    />
  );
  return (
    <Dialog
      title={creating.data === undefined ? `Create ${environment} key` : 'Copy your key now'}
      isOpen={isOpen}
      onClose={close}
      isSticky={creating.isSuccess || creating.isCodeWanted}
    >
      {creating.data !== undefined ? (
        <Created created={creating.data} onDone={close} />
      ) : creating.isCodeWanted ? (
        <ConfirmAct
          confirming={creating}
          what={draft.label.trim() === '' ? 'a live key without a label' : <>the live key {draft.label.trim()}</>}
          action="Create key"
          onCancel={close}
          problem={problem}
        />
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (Object.keys(mistakes).length === 0) creating.run(keyRequest(draft, environment, Date.now()));
          }}
        >
          {environment === 'live' && (
            <p>
              A live key moves real money. Keep it on your server, never in a web page or an app. We email you a code to
              confirm it.
            </p>
          )}
          <KeyFields draft={draft} mistakes={{ ...said, ...mistakes }} onChange={setDraft} />
          {problem}
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button
              kind="primary"
              type="submit"
              isWorking={creating.isPending}
              disabled={Object.keys(mistakes).length > 0}
            >
              Create key
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}

function Created({ created, onDone }: { created: ApiKeyCreated; onDone: () => void }) {
  return (
    <Secret secret={created.secret} what="key" note={created.note} onDone={onDone}>
      {created.full_limit_at !== null && (
        <p>
          This key can pay at most £1,000.00 per day until <Timestamp at={created.full_limit_at} />. We emailed all
          admins about it.
        </p>
      )}
    </Secret>
  );
}
