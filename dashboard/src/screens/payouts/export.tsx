import type { PayoutFilters } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import { buttonClassName } from '../../ui/button.tsx';
import { FileLink } from '../../ui/file-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { exportAddress } from './filters.ts';

/** Every payout that matches the filters, as a file of the API: so the export is in Activity. */
export function Export({ filters }: { filters: PayoutFilters }) {
  const environment = useEnvironment();
  return (
    <FileLink className={buttonClassName('secondary')} href={exportAddress(filters, environment)}>
      <Icon name="download" />
      Export CSV
    </FileLink>
  );
}
