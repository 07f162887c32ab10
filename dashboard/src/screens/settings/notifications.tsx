import type { NotificationSettings, UpdateNotificationsRequest } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountKelpie } from '../../data/environment.ts';
import { notificationsKey, useNotifications } from '../../data/reads.ts';
import { useSession } from '../../data/session.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';

/** The emails of the person who is signed in; everyone sets their own, viewers too. */
export function Notifications() {
  const { email } = useSession();
  const { data, error, refetch } = useNotifications();
  return (
    <Section title="Notifications">
      <p className="text-muted">
        We email {email} about payout problems, at most once every 15 minutes per environment.
      </p>
      {error !== null && (
        <Problem error={error} title="Notifications could not be loaded." onRetry={() => void refetch()} />
      )}
      {data === undefined ? error === null && <Rows count={2} /> : <Choices settings={data} />}
    </Section>
  );
}

function Choices({ settings }: { settings: NotificationSettings }) {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  // What was just chosen over these settings, until the answer replaces them. Kept here, because the mutation shows it a moment
  // after the click, and the box would jump back in between.
  const [chosen, choose] = useState<{ change: UpdateNotificationsRequest; over: NotificationSettings }>({
    change: {},
    over: settings,
  });
  const saving = useMutation({
    mutationFn: async (change: UpdateNotificationsRequest) => kelpie.members.updateNotifications(change),
    onSuccess: (saved) => client.setQueryData(notificationsKey, saved),
    onError: () => choose({ change: {}, over: settings }),
  });
  const shown = chosen.over === settings ? { ...settings, ...chosen.change } : settings;
  const save = (change: UpdateNotificationsRequest): void => {
    choose({ change, over: settings });
    saving.mutate(change);
  };
  return (
    <div className="grid gap-4">
      <Checkbox
        label="Live payout problems"
        hint="A live payout failed, was returned or is delayed."
        isChecked={shown.live_payout_problems}
        isDisabled={saving.isPending}
        onChange={(isOn) => save({ live_payout_problems: isOn })}
      />
      <Checkbox
        label="Sandbox payout problems"
        hint="A sandbox payout failed, was returned or is delayed."
        isChecked={shown.sandbox_payout_problems}
        isDisabled={saving.isPending}
        onChange={(isOn) => save({ sandbox_payout_problems: isOn })}
      />
      {saving.error !== null && (
        <Problem
          error={saving.error}
          title="Notifications were not saved."
          unknown="We don't know whether the notifications were saved."
        />
      )}
      <p role="status" className="text-small text-completed">
        {saving.isSuccess ? 'Saved' : ''}
      </p>
    </div>
  );
}
