import { Page } from '../../ui/page.tsx';
import { SecurityEvents } from './security-events.tsx';

export function Screen() {
  return (
    <Page title="Security" lead="Every sign-in, and every change of access to this account.">
      <SecurityEvents />
    </Page>
  );
}
