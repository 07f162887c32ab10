import { useAddress } from '../../data/environment.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';

export function Screen() {
  const address = useAddress();
  return (
    <Page title="Not found">
      <Empty title="There is no such page" action={<ButtonLink to={address('/')}>Go to the overview</ButtonLink>}>
        The link may be old, or of another account.
      </Empty>
    </Page>
  );
}
