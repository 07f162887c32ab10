import { useEnvironment } from '../../data/environment.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import type { KeyDraft, KeyMistakes } from './key-draft.ts';

const scopes = [
  { value: 'pay', label: 'Pay and read' },
  { value: 'read', label: 'Read only' },
] as const;

const scopeHints = {
  pay: 'Creates and cancels payouts, and reads everything.',
  read: "Reads payouts, the balance and reports. It can't create or cancel payouts.",
};

const expiries = [
  { value: '0', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
] as const;

interface KeyFieldsProps {
  draft: KeyDraft;
  mistakes: KeyMistakes;
  onChange: (draft: KeyDraft) => void;
}

export function KeyFields({ draft, mistakes, onChange }: KeyFieldsProps) {
  return (
    <>
      <Field
        label="Label"
        name="label"
        autoFocus
        maxLength={60}
        autoComplete="off"
        value={draft.label}
        onChange={(label) => onChange({ ...draft, label })}
        error={mistakes.label}
        hint="What uses the key, such as Shop or Payroll."
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Choice
          label="Access"
          value={draft.scope}
          options={scopes}
          onChange={(scope) => onChange({ ...draft, scope })}
          hint={scopeHints[draft.scope]}
        />
        <Choice
          label="Expires"
          value={draft.expiresInDays}
          options={expiries}
          onChange={(expiresInDays) => onChange({ ...draft, expiresInDays })}
          hint="We refuse requests with an expired key."
        />
      </div>
      <Field
        label="Allowed networks"
        name="networks"
        autoComplete="off"
        value={draft.networks}
        onChange={(networks) => onChange({ ...draft, networks })}
        error={mistakes.networks}
        placeholder="203.0.113.0/24, 198.51.100.7"
        hint="The IP addresses of your servers, separated by commas. Leave blank to allow any address."
        className="font-mono"
      />
      {draft.scope === 'pay' && <DailyLimit draft={draft} mistakes={mistakes} onChange={onChange} />}
    </>
  );
}

function DailyLimit({ draft, mistakes, onChange }: KeyFieldsProps) {
  const environment = useEnvironment();
  return (
    <Field
      label="Daily limit"
      name="daily-limit"
      prefix="£"
      inputMode="decimal"
      autoComplete="off"
      value={draft.dailyLimit}
      onChange={(dailyLimit) => onChange({ ...draft, dailyLimit })}
      error={mistakes.dailyLimit}
      hint={
        environment === 'live'
          ? "The most this key can pay per day. Your account's limit applies too. For the first 24 hours it is at most £1,000.00, unless this is your first live key."
          : 'The most this key can pay per day. Leave blank for no limit.'
      }
      className="figures"
    />
  );
}
