import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** In place of every page with live money, until the business is verified. */
export function LiveNotOpen() {
  return (
    <Page title="Live">
      <Empty
        title="Live is not available yet"
        action={
          <ButtonLink kind="primary" to="/live/compliance">
            View verification
          </ButtonLink>
        }
      >
        Your live wallet, payouts and keys appear here once the bank has verified your business. Until then, use the
        sandbox with test money.
      </Empty>
    </Page>
  );
}
