import { Page } from '../../ui/page.tsx';
import { SecurityEvents } from './security-events.tsx';
import { Sessions } from './sessions.tsx';

export function Screen() {
  return (
    <Page title="Security" lead="Who is signed in, every sign-in, and every change of access to this account.">
      <div className="grid min-w-0 gap-10">
        <Sessions />
        <SecurityEvents />
      </div>
    </Page>
  );
}
