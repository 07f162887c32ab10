import { KelpieError, type Limits, type UpdateLimitsRequest } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { formatPounds } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SupportLink } from '../../ui/support-link.tsx';
import {
  limitsChange,
  limitsDraft,
  limitsMistakes,
  limitsText,
  lowestLimit,
  type LimitsDraft,
} from './limits-draft.ts';

export function ChangeLimits({ limits }: { limits: Limits }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState(() => limitsDraft(limits));
  const saving = useConfirmed({
    act: async (request: UpdateLimitsRequest, options) => kelpie.limits.update(request, options),
    onSuccess: () => setOpen(false),
    onSettled: async () => client.invalidateQueries({ queryKey: [environment, 'limits'] }),
  });
  const close = (): void => {
    setOpen(false);
    saving.reset();
  };
  const change = limitsChange(draft, limits);
  const said = saving.error instanceof KelpieError ? saving.error.fields[0]?.rule : undefined;
  const problem = saving.error !== null && (
    <Problem
      error={saving.error}
      title="The limits were not changed."
      unknown="We don't know whether the limits were changed."
    >
      {said !== undefined && <p>The limit {said}.</p>}
    </Problem>
  );
  return (
    <>
      <Button
        onClick={() => {
          setDraft(limitsDraft(limits));
          setOpen(true);
        }}
      >
        Change limits
      </Button>
      <Dialog title={`Change ${environment} limits`} isOpen={isOpen} onClose={close} isSticky={saving.isCodeWanted}>
        {saving.isCodeWanted ? (
          <ConfirmAct
            confirming={saving}
            what={limitsText(change)}
            action="Save limits"
            onCancel={close}
            problem={problem}
          />
        ) : (
          <LimitsForm
            limits={limits}
            draft={draft}
            onChange={setDraft}
            isSaving={saving.isPending}
            onSave={() => saving.run(change)}
            onCancel={close}
          >
            {problem}
          </LimitsForm>
        )}
      </Dialog>
    </>
  );
}

interface LimitsFormProps {
  limits: Limits;
  draft: LimitsDraft;
  onChange: (draft: LimitsDraft) => void;
  isSaving: boolean;
  onSave: () => void;
  onCancel: () => void;
  children: ReactNode;
}

function LimitsForm({ limits, draft, onChange, isSaving, onSave, onCancel, children }: LimitsFormProps) {
  const mistakes = limitsMistakes(draft, limits);
  const canSave = Object.keys(limitsChange(draft, limits)).length > 0 && Object.keys(mistakes).length === 0;
  const bind = (field: keyof LimitsDraft) => ({
    name: field,
    value: draft[field],
    onChange: (typed: string) => onChange({ ...draft, [field]: typed }),
    error: mistakes[field],
    isRequired: limits.environment === 'live',
    prefix: '£',
    inputMode: 'decimal' as const,
    autoComplete: 'off',
    className: 'figures',
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) onSave();
      }}
    >
      <p>
        <AllowedRange limits={limits} /> Days begin at midnight in London.
      </p>
      <Field {...bind('daily')} label="Daily limit" autoFocus hint="All payouts of a day together." />
      <Field
        {...bind('newPayee')}
        label="Daily limit for new recipients"
        hint="Per day for each bank account that no payout has reached yet."
      />
      {children}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isWorking={isSaving} disabled={!canSave}>
          Save limits
        </Button>
      </DialogActions>
    </form>
  );
}

function AllowedRange({ limits: { highest_daily_limit_gbp: highest, environment } }: { limits: Limits }) {
  const lowest = formatPounds(lowestLimit);
  if (environment === 'sandbox') return <>Enter at least {lowest}, or leave a limit blank for none.</>;
  if (highest === null) return <>Enter at least {lowest}.</>;
  return (
    <>
      Enter {lowest} to {formatPounds(highest)}. <SupportLink /> to pay more.
    </>
  );
}
