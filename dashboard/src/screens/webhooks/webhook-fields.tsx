import type { EventType } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import { eventTypes } from '../../format/event-types.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import type { WebhookDraft, WebhookMistakes } from './webhook-draft.ts';

const choices = [
  { value: 'all', label: 'All events' },
  { value: 'chosen', label: 'Chosen event types' },
] as const;

interface WebhookFieldsProps {
  draft: WebhookDraft;
  mistakes: WebhookMistakes;
  onChange: (draft: WebhookDraft) => void;
}

/** The same to create a webhook and to edit one. */
export function WebhookFields({ draft, mistakes, onChange }: WebhookFieldsProps) {
  const environment = useEnvironment();
  return (
    <>
      <Field
        label="URL"
        name="url"
        type="url"
        isRequired
        autoFocus
        autoComplete="off"
        value={draft.url}
        onChange={(url) => onChange({ ...draft, url })}
        error={mistakes.url}
        placeholder="https://example.com/webhooks"
        hint={
          environment === 'live'
            ? 'We post each event to it. It must be public and start with https://.'
            : 'We post each event to it. It must be public.'
        }
        className="font-mono"
      />
      <Field
        label="Description"
        name="description"
        maxLength={200}
        autoComplete="off"
        value={draft.description}
        onChange={(description) => onChange({ ...draft, description })}
        error={mistakes.description}
        hint="What receives the events, such as Order system."
      />
      <Choice
        label="Events"
        value={draft.which}
        options={choices}
        onChange={(which) => onChange({ ...draft, which })}
        hint={draft.which === 'all' ? 'Includes types that we add later.' : undefined}
      />
      {draft.which === 'chosen' && (
        <TypeBoxes types={draft.types} error={mistakes.types} onChange={(types) => onChange({ ...draft, types })} />
      )}
    </>
  );
}

interface TypeBoxesProps {
  types: readonly EventType[];
  error: string | undefined;
  onChange: (types: EventType[]) => void;
}

function TypeBoxes({ types, error, onChange }: TypeBoxesProps) {
  const environment = useEnvironment();
  return (
    <fieldset className="grid gap-3">
      <legend className="sr-only">Event types</legend>
      {environment === 'sandbox' && (
        <p className="text-small text-muted">Invoice and member events are sent to live webhooks only.</p>
      )}
      <div className="grid gap-2 sm:grid-cols-2">
        {eventTypes.map((type) => (
          <Checkbox
            key={type}
            label={type}
            isChecked={types.includes(type)}
            onChange={(isChecked) =>
              // In the order of the list, whichever was chosen first.
              onChange(eventTypes.filter((each) => (each === type ? isChecked : types.includes(each))))
            }
          />
        ))}
      </div>
      {error !== undefined && <p className="text-small text-failed">{error}</p>}
    </fieldset>
  );
}
