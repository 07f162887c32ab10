import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** In place of every page with live money, until the business is verified. */
export function LiveNotOpen() {
  return (
    <Page title="Live">
      <Empty
        title="Live is not open yet"
        action={
          <ButtonLink kind="primary" to="/live/compliance">
            See the verification
          </ButtonLink>
        }
      >
        Once your business is verified, your live wallet, payouts and keys are here. Until then everything can be tried
        in the sandbox, with test money.
      </Empty>
    </Page>
  );
}
