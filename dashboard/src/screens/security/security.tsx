import { useEnvironment } from '../../data/environment.ts';
import { useSession } from '../../data/session.ts';
import { Page } from '../../ui/page.tsx';
import { ApprovalRules } from './approval-rules.tsx';
import { Limits } from './limits.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecurityEvents } from './security-events.tsx';
import { Sessions } from './sessions.tsx';

export function Screen() {
  const environment = useEnvironment();
  const { has_live: hasLive } = useSession().account;
  return (
    <Page
      title="Security"
      lead="How much can be paid per day, who is signed in, and every change of access to this account."
    >
      <div className="grid min-w-0 gap-10">
        {(environment === 'sandbox' || hasLive) && (
          <>
            <Limits />
            <ApprovalRules />
          </>
        )}
        <Passkeys />
        <Sessions />
        <SecurityEvents />
      </div>
    </Page>
  );
}
