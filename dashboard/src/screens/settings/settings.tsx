import type { Account, Compliance } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountKelpie } from '../../data/environment.ts';
import { useAccount, useCompliance } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Preview } from './preview.tsx';
import { changeOf, settingsFrom, shownColour, wrongIn, type SettingsDraft } from './settings-draft.ts';

export function Screen() {
  const account = useAccount();
  const compliance = useCompliance();
  const error = account.error ?? compliance.error;
  return (
    <Page
      title="Settings"
      lead="How your recipients see you, who gets your papers, and when we write. For both environments."
    >
      {error !== null && (
        <Problem
          error={error}
          title="The settings could not be read."
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
          <SettingsForm saved={saved} draft={draft} onChange={setDraft} />
        ) : (
          <Facts>
            <Fact name="Logo">{saved.logoUrl === '' ? 'None' : saved.logoUrl}</Fact>
            <Fact name="Colour">{saved.brandColor === '' ? 'None' : saved.brandColor}</Fact>
            <Fact name="Invoices go to">{saved.billingEmail === '' ? 'Nobody yet' : saved.billingEmail}</Fact>
            <Fact name="We write to">{saved.contactEmail === '' ? 'Nobody yet' : saved.contactEmail}</Fact>
            <Fact name="A mail when the wallet is below">
              {saved.walletLow === '' ? 'Never' : formatUsdc(saved.walletLow)}
            </Fact>
          </Facts>
        )}
        <AccountFacts account={account} />
      </div>
      <Preview name={account.name} draft={draft} />
    </div>
  );
}

interface SettingsFormProps {
  saved: SettingsDraft;
  draft: SettingsDraft;
  onChange: (draft: SettingsDraft) => void;
}

function SettingsForm({ saved, draft, onChange }: SettingsFormProps) {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const wrong = wrongIn(draft);
  const change = changeOf(saved, draft);
  const isChanged = Object.keys(change).length > 0;
  const saving = useMutation({
    mutationFn: async () => kelpie.account.update(change),
    onSuccess: async () => client.invalidateQueries(),
  });
  const bind = (field: keyof SettingsDraft) => ({
    value: draft[field],
    onChange: (typed: string) => onChange({ ...draft, [field]: typed }),
    error: wrong[field],
    name: field,
    autoComplete: 'off',
  });
  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && Object.keys(wrong).length === 0 && !saving.isPending) saving.mutate();
      }}
    >
      <Field
        {...bind('logoUrl')}
        label="Address of your logo"
        type="url"
        placeholder="https://…"
        hint="A square picture, over https."
      />
      <ColourField
        draft={draft}
        error={wrong.brandColor}
        onChange={(brandColor) => onChange({ ...draft, brandColor })}
      />
      <Field {...bind('billingEmail')} label="Invoices go to" type="email" />
      <Field {...bind('contactEmail')} label="We write about the account to" type="email" />
      <Field
        {...bind('walletLow')}
        label="Send a mail when the wallet falls below"
        inputMode="decimal"
        placeholder="500.00"
        hint="In USDC, for the sandbox wallet and the live one alike. It goes to the address above, or to the admins."
        className="figures"
      />
      {saving.error !== null && (
        <Problem
          error={saving.error}
          title="The settings were not saved."
          unknown="It is not known whether the settings were saved."
        />
      )}
      <div className="flex items-center justify-end gap-3">
        <p role="status" className="text-completed">
          {saving.isSuccess && !isChanged ? 'Saved' : ''}
        </p>
        <Button
          kind="primary"
          type="submit"
          isWorking={saving.isPending}
          disabled={!isChanged || Object.keys(wrong).length > 0}
        >
          Save the settings
        </Button>
      </div>
    </form>
  );
}

interface ColourFieldProps {
  draft: SettingsDraft;
  error: string | undefined;
  onChange: (colour: string) => void;
}

/** Typed, or chosen from what the browser offers: what is chosen is seen beside what is typed. */
function ColourField({ draft, error, onChange }: ColourFieldProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_2.5rem] gap-2">
      <Field
        label="Colour"
        name="brandColor"
        autoComplete="off"
        value={draft.brandColor}
        onChange={onChange}
        error={error}
        placeholder="#0f6e6e"
        hint="As six hexadecimal digits, or chosen beside."
        className="font-mono"
      />
      <input
        type="color"
        aria-label="Choose the colour"
        value={shownColour(draft)}
        onChange={({ target }) => onChange(target.value)}
        className="mt-7 h-10 w-10 cursor-pointer rounded-md border border-line-strong bg-surface p-1"
      />
    </div>
  );
}

const statuses: Readonly<Record<string, string>> = {
  onboarding: 'Sandbox only, until the business is verified',
  active: 'Active',
  suspended: 'Suspended: it can be looked at, not used',
  closed: 'Closed',
};

function AccountFacts({ account }: { account: Account }) {
  const session = useSession();
  return (
    <Section title="Account">
      <Facts>
        <Fact name="Business">{account.name}</Fact>
        <Fact name="Short name">
          <code className="font-mono text-small">{session.account.slug}</code>
        </Fact>
        <Fact name="Status">{statuses[account.status] ?? account.status}</Fact>
        <Fact name="Account id">
          <code className="font-mono text-small break-all">{account.id}</code>
        </Fact>
      </Facts>
    </Section>
  );
}
