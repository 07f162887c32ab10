import { useAddress } from '../../data/environment.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';

export function Screen() {
  const address = useAddress();
  return (
    <Page title="Page not found">
      <Empty title="This page does not exist" action={<ButtonLink to={address('/')}>Go to overview</ButtonLink>}>
        The link may be out of date, or belong to another account.
      </Empty>
    </Page>
  );
}
