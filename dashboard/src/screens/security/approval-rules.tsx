import type { ApiKey, ApprovalRules as Rules, UpdateApprovalRulesRequest } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { useApprovalRules, useKeys } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { amountFrom, formatPounds } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmAct, ConfirmDialog } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

type RuleFields = Pick<Rules, 'above_gbp' | 'new_payee' | 'api_key_ids'>;

/** Which payouts another admin has to approve in this environment. */
export function ApprovalRules() {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  const { data, error, refetch } = useApprovalRules();
  return (
    <Section title={`Approvals, ${environment}`} aside={isAdmin && data !== undefined && <ChangeRules rules={data} />}>
      <p className="text-muted">Payouts that another admin has to approve before they are sent.</p>
      {error !== null && data === undefined && (
        <Problem error={error} title="Approval rules could not be loaded." onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Rows count={3} />}
      {data !== undefined && <RuleFacts rules={data} />}
      {data?.pending && <PendingRules pending={data.pending} />}
    </Section>
  );
}

function useKeyNames(): (ids: readonly string[]) => string {
  const keys = useKeys();
  const nameOf = (id: string): string => {
    const key = keys.data?.find((one) => one.id === id);
    return key === undefined ? 'Unknown key' : (key.label ?? `${key.key_prefix}…`);
  };
  return (ids) => (ids.length === 0 ? 'None' : ids.map(nameOf).join(', '));
}

function RuleFacts({ rules }: { rules: RuleFields }) {
  const namesOf = useKeyNames();
  return (
    <Facts>
      <Fact name="Above">{rules.above_gbp === null ? 'No amount' : formatPounds(rules.above_gbp)}</Fact>
      <Fact name="To a new recipient">{rules.new_payee ? 'Needs approval' : 'No'}</Fact>
      <Fact name="By these API keys">{namesOf(rules.api_key_ids)}</Fact>
    </Facts>
  );
}

function PendingRules({ pending }: { pending: NonNullable<Rules['pending']> }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const { email } = useSession();
  const deciding = useConfirmed({
    act: async (what: 'approve' | 'decline', options) =>
      what === 'approve' ? kelpie.approvalRules.approve(options) : kelpie.approvalRules.decline(),
    onSettled: async () => client.invalidateQueries({ queryKey: [environment, 'approval-rules'] }),
  });
  const problem = deciding.error !== null && (
    <Problem error={deciding.error} title="The change was not decided." unknown="We don't know what was decided." />
  );
  return (
    <div className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <p className="font-medium">Looser rules wait for another admin</p>
      <p className="text-muted">
        {pending.requested_by} asked for this on <Timestamp at={pending.requested_at} />. It expires after 72 hours.
      </p>
      <RuleFacts rules={pending} />
      {!deciding.isCodeWanted && problem}
      {isAdmin && (
        <div className="flex flex-wrap justify-end gap-2">
          <Button kind="danger" isWorking={deciding.isPending} onClick={() => deciding.run('decline')}>
            Decline change
          </Button>
          {pending.requested_by !== email && (
            <Button kind="primary" isWorking={deciding.isPending} onClick={() => deciding.run('approve')}>
              Approve change
            </Button>
          )}
        </div>
      )}
      <ConfirmDialog
        confirming={deciding}
        what="that these looser rules apply"
        action="Approve change"
        onCancel={deciding.reset}
        problem={problem}
      />
    </div>
  );
}

interface RulesDraft {
  above: string;
  newPayee: boolean;
  keyIds: readonly string[];
}

function draftOf(rules: Rules): RulesDraft {
  return { above: rules.above_gbp ?? '', newPayee: rules.new_payee, keyIds: rules.api_key_ids };
}

function ChangeRules({ rules }: { rules: Rules }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState(() => draftOf(rules));
  const saving = useConfirmed({
    act: async (request: UpdateApprovalRulesRequest, options) => kelpie.approvalRules.update(request, options),
    onSuccess: () => setOpen(false),
    onSettled: async () => client.invalidateQueries({ queryKey: [environment, 'approval-rules'] }),
  });
  const close = (): void => {
    setOpen(false);
    saving.reset();
  };
  const problem = saving.error !== null && (
    <Problem
      error={saving.error}
      title="The rules were not changed."
      unknown="We don't know whether the rules were changed."
    />
  );
  return (
    <>
      <Button
        onClick={() => {
          setDraft(draftOf(rules));
          setOpen(true);
        }}
      >
        Change rules
      </Button>
      <Dialog
        title={`Change ${environment} approval rules`}
        isOpen={isOpen}
        onClose={close}
        isSticky={saving.isCodeWanted}
      >
        {saving.isCodeWanted ? (
          <ConfirmAct
            confirming={saving}
            what="the new approval rules"
            action="Save rules"
            onCancel={close}
            problem={problem}
          />
        ) : (
          <RulesForm
            draft={draft}
            onChange={setDraft}
            isSaving={saving.isPending}
            onSave={(above) =>
              saving.run({ above_gbp: above, new_payee: draft.newPayee, api_key_ids: [...draft.keyIds] })
            }
            onCancel={close}
            problem={problem}
          />
        )}
      </Dialog>
    </>
  );
}

interface RulesFormProps {
  draft: RulesDraft;
  onChange: (draft: RulesDraft) => void;
  isSaving: boolean;
  onSave: (above: string | null) => void;
  onCancel: () => void;
  problem: ReactNode;
}

function RulesForm({ draft, onChange, isSaving, onSave, onCancel, problem }: RulesFormProps) {
  const environment = useEnvironment();
  const keys = useKeys();
  const amount = amountFrom(draft.above);
  const isBlank = draft.above.trim() === '';
  const isWrong = !isBlank && amount === undefined;
  const paying = keys.data?.filter((key) => isListed(key, environment, draft.keyIds)) ?? [];
  const setKey = (id: string, isChecked: boolean): void =>
    onChange({ ...draft, keyIds: isChecked ? [...draft.keyIds, id] : draft.keyIds.filter((one) => one !== id) });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) onSave(isBlank ? null : (amount ?? null));
      }}
    >
      <p>Tighter rules apply at once. Looser ones wait until another admin approves them.</p>
      <Field
        name="above"
        label="Payouts above"
        hint="0.00 covers every payout. Leave it blank for no rule about the amount."
        value={draft.above}
        onChange={(above) => onChange({ ...draft, above })}
        error={isWrong ? 'Enter an amount in pounds, such as 5000.00.' : undefined}
        isRequired={false}
        prefix="£"
        inputMode="decimal"
        autoComplete="off"
        className="figures"
        autoFocus
      />
      <Checkbox
        label="Payouts to a new recipient"
        hint="A bank account that no payout has reached yet."
        isChecked={draft.newPayee}
        onChange={(newPayee) => onChange({ ...draft, newPayee })}
      />
      {paying.length > 0 && (
        <fieldset className="grid gap-2">
          <legend className="mb-1 font-medium">All payouts by these API keys</legend>
          {paying.map((key) => (
            <Checkbox
              key={key.id}
              label={key.label ?? `${key.key_prefix}…`}
              isChecked={draft.keyIds.includes(key.id)}
              onChange={(isChecked) => setKey(key.id, isChecked)}
            />
          ))}
        </fieldset>
      )}
      {problem}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isWorking={isSaving} disabled={isWrong}>
          Save rules
        </Button>
      </DialogActions>
    </form>
  );
}

/** Keys that can pay, and any that a rule names. */
function isListed(key: ApiKey, environment: string, named: readonly string[]): boolean {
  if (named.includes(key.id)) return true;
  return key.environment === environment && key.scope === 'pay' && key.revoked_at === null;
}
