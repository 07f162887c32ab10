import { KelpieError, type CreateWebhookRequest } from '@kelpie/sdk';
import { useState, type ReactNode } from 'react';
import { useEnvironment } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { webhookMistakes, webhookMistakesFrom, webhookRequest, type WebhookDraft } from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface WebhookFormProps {
  initial: WebhookDraft;
  /** The verb and object on the button. */
  action: string;
  isWorking: boolean;
  error: Error | null;
  problem: ReactNode;
  onSubmit: (request: CreateWebhookRequest) => void;
  onCancel: () => void;
}

/** The form of a dialog that creates a webhook or edits one. */
export function WebhookForm({ initial, action, isWorking, error, problem, onSubmit, onCancel }: WebhookFormProps) {
  const environment = useEnvironment();
  const [draft, setDraft] = useState(initial);
  // A form that was not sent yet has no mistakes: it is not finished.
  const [isSent, setSent] = useState(false);
  const mistakes = webhookMistakes(draft, environment);
  const said = error instanceof KelpieError ? webhookMistakesFrom(error.fields) : {};
  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        if (Object.keys(mistakes).length === 0 && !isWorking) onSubmit(webhookRequest(draft));
      }}
    >
      <WebhookFields draft={draft} mistakes={isSent ? { ...said, ...mistakes } : {}} onChange={setDraft} />
      {/* What is said at a field needs no second place. */}
      {Object.keys(said).length === 0 && problem}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isWorking={isWorking}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
