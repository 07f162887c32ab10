import type { Account, Compliance, UpdateAccountRequest } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useAccountKelpie } from '../../data/environment.ts';
import { useAccount, useCompliance } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-code.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Notifications } from './notifications.tsx';
import {
  changeOf,
  emailChanges,
  settingsFrom,
  shownColour,
  unconfirmedIn,
  wrongIn,
  type SettingsDraft,
  type Unconfirmed,
} from './settings-draft.ts';

export function Screen() {
  const account = useAccount();
  const compliance = useCompliance();
  const error = account.error ?? compliance.error;
  return (
    <Page title="Settings" lead="Email addresses, alerts and branding for this account, in both environments.">
      {error !== null && (
        <Problem
          error={error}
          title="Settings could not be loaded."
          onRetry={() => {
            void account.refetch();
            void compliance.refetch();
          }}
        />
      )}
      {account.data === undefined || compliance.data === undefined ? (
        error === null && <Rows count={4} />
      ) : (
        <Settings account={account.data} compliance={compliance.data} />
      )}
    </Page>
  );
}

function Settings({ account, compliance }: { account: Account; compliance: Compliance }) {
  const isAdmin = useIsAdmin();
  const saved = settingsFrom(account, compliance);
  const [draft, setDraft] = useState(saved);
  return (
    <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="grid min-w-0 content-start gap-8">
        {isAdmin ? (
          <SettingsForm saved={saved} draft={draft} unconfirmed={unconfirmedIn(compliance)} onChange={setDraft} />
        ) : (
          <Facts>
            <Fact name="Billing email">{saved.billingEmail === '' ? 'Not set' : saved.billingEmail}</Fact>
            <Fact name="Contact email">{saved.contactEmail === '' ? 'Not set' : saved.contactEmail}</Fact>
            <Fact name="Low-balance alert">
              {saved.walletLow === '' ? 'Off' : `Below ${formatUsdc(saved.walletLow)}`}
            </Fact>
            <Fact name="Logo URL">{saved.logoUrl === '' ? 'Not set' : saved.logoUrl}</Fact>
            <Fact name="Brand colour">{saved.brandColor === '' ? 'Not set' : saved.brandColor}</Fact>
          </Facts>
        )}
        <Notifications />
      </div>
      <div className="grid min-w-0 content-start gap-8">
        <AccountFacts account={account} />
        <PublicProfile />
      </div>
    </div>
  );
}

interface SettingsFormProps {
  saved: SettingsDraft;
  draft: SettingsDraft;
  unconfirmed: Unconfirmed;
  onChange: (draft: SettingsDraft) => void;
}

const billingHint = 'Receives your invoices. Without one, we email the admin who joined first.';
const contactHint = 'Receives messages about the account. Without one, we email the admins.';
const unconfirmedHint = 'Not confirmed: open the link that we emailed to it. Until then, we email the admins instead.';

function hintsOf(unconfirmed: Unconfirmed): { billing: string; contact: string } {
  return {
    billing: unconfirmed.billing ? unconfirmedHint : billingHint,
    contact: unconfirmed.contact ? unconfirmedHint : contactHint,
  };
}

function SettingsForm({ saved, draft, unconfirmed, onChange }: SettingsFormProps) {
  const hints = hintsOf(unconfirmed);
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const wrong = wrongIn(draft);
  const change = changeOf(saved, draft);
  const isChanged = Object.keys(change).length > 0;
  const saving = useConfirmed({
    act: async (request: UpdateAccountRequest, options) => kelpie.account.update(request, options),
    onSettled: async () => client.invalidateQueries(),
  });
  const problem = saving.error !== null && (
    <Problem
      error={saving.error}
      title="Settings were not saved."
      unknown="We don't know whether the settings were saved."
    />
  );
  const bind = (field: keyof SettingsDraft) => ({
    value: draft[field],
    onChange: (typed: string) => onChange({ ...draft, [field]: typed }),
    error: wrong[field],
    name: field,
    autoComplete: 'off',
  });
  return (
    <>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && Object.keys(wrong).length === 0) saving.run(change);
        }}
      >
        <Field {...bind('billingEmail')} label="Billing email" type="email" hint={hints.billing} />
        <Field {...bind('contactEmail')} label="Contact email" type="email" hint={hints.contact} />
        <Field
          {...bind('walletLow')}
          label="Low-balance alert (USDC)"
          inputMode="decimal"
          placeholder="500.00"
          hint="We email the contact, or the admins, when a wallet falls below this. Applies to sandbox and live."
          className="figures"
        />
        <Field
          {...bind('logoUrl')}
          label="Logo URL"
          type="url"
          placeholder="https://…"
          hint="A square image. Anyone can read it from your public profile."
        />
        <ColourField
          draft={draft}
          error={wrong.brandColor}
          onChange={(brandColor) => onChange({ ...draft, brandColor })}
        />
        {!saving.isCodeWanted && problem}
        <SaveRow
          isSaved={saving.isSuccess && !isChanged}
          isSaving={saving.isPending}
          isDisabled={!isChanged || Object.keys(wrong).length > 0}
        />
      </form>
      <ConfirmDialog
        confirming={saving}
        what={emailChanges(change)}
        action="Save settings"
        onCancel={saving.reset}
        problem={problem}
      />
    </>
  );
}

function SaveRow({ isSaved, isSaving, isDisabled }: { isSaved: boolean; isSaving: boolean; isDisabled: boolean }) {
  return (
    <div className="flex items-center justify-end gap-3">
      <p role="status" className="text-completed">
        {isSaved ? 'Saved' : ''}
      </p>
      <Button kind="primary" type="submit" isWorking={isSaving} disabled={isDisabled}>
        Save settings
      </Button>
    </div>
  );
}

interface ColourFieldProps {
  draft: SettingsDraft;
  error: string | undefined;
  onChange: (colour: string) => void;
}

/** Typed, or picked with the browser's own colour field. */
function ColourField({ draft, error, onChange }: ColourFieldProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_2.5rem] gap-2">
      <Field
        label="Brand colour"
        name="brandColor"
        autoComplete="off"
        value={draft.brandColor}
        onChange={onChange}
        error={error}
        placeholder="#0f6e6e"
        hint="Six hexadecimal digits. Your public profile shows it."
        className="font-mono"
      />
      <input
        type="color"
        aria-label="Brand colour picker"
        value={shownColour(draft)}
        onChange={({ target }) => onChange(target.value)}
        className="mt-7 h-10 w-10 cursor-pointer rounded-md border border-line-strong bg-surface p-1"
      />
    </div>
  );
}

const statuses: Readonly<Record<string, string>> = {
  onboarding: 'Sandbox only until your business is verified',
  active: 'Active',
  suspended: 'Suspended: read-only',
  closed: 'Closed',
};

/** The logo and the colour appear nowhere else: a recipient sees only a line on a bank statement. */
function PublicProfile() {
  const path = `/v1/public/partners/${useSession().account.slug}`;
  return (
    <Section title="Public profile">
      <p className="text-muted">
        Anyone can read your business name, logo and brand colour from{' '}
        <a href={path} className="break-all text-tide underline underline-offset-2">
          {path}
        </a>
        . Recipients don't see them: their bank statement shows the payout's reference.
      </p>
    </Section>
  );
}

function AccountFacts({ account }: { account: Account }) {
  const session = useSession();
  return (
    <Section title="Account">
      <Facts>
        <Fact name="Business name">{account.name}</Fact>
        <Fact name="Short name">
          <code className="font-mono text-small">{session.account.slug}</code>
        </Fact>
        <Fact name="Status">{statuses[account.status] ?? account.status}</Fact>
        {account.closed_at !== null && (
          <Fact name="Closed">
            <Timestamp at={account.closed_at} to="date" />
          </Fact>
        )}
        <Fact name="Account ID">
          <code className="font-mono text-small break-all">{account.id}</code>
        </Fact>
      </Facts>
    </Section>
  );
}
