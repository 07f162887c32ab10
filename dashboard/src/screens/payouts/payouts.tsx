import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { usePayouts } from '../../data/reads.ts';
import { useCanPay } from '../../data/session.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Export } from './export.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filtersOf, isNarrowed, pageSize, searchOf, viewFrom, type PayoutView } from './filters.ts';
import { PayoutTable } from './payout-table.tsx';

export function Screen() {
  const address = useAddress();
  const canPay = useCanPay();
  const [search, setSearch] = useSearchParams();
  const view = viewFrom(search);
  const searchText = searchOf(view).toString();
  // "Today" must not be another list at every look.
  const [openedAt] = useState(() => new Date());
  const filters = useMemo(() => filtersOf(viewFrom(new URLSearchParams(searchText)), openedAt), [searchText, openedAt]);
  const payouts = usePayouts(filters);
  const shownCount = payouts.data?.data.length ?? 0;
  const next = payouts.data?.next;
  // One answer looks at so many payouts: a page with room left has not come to the end of them.
  const isCut = next !== undefined && shownCount > 0 && shownCount < pageSize;
  const show = (changed: Partial<PayoutView>): void => setSearch(searchOf({ ...view, cursor: undefined, ...changed }));
  return (
    <Page
      title="Payouts"
      action={
        <div className="flex gap-2">
          <Export filters={filters} />
          {canPay && (
            <ButtonLink kind="primary" to={address('/payouts/new')}>
              <Icon name="plus" />
              New payout
            </ButtonLink>
          )}
        </div>
      }
    >
      <div className="grid min-w-0 gap-4">
        <FilterBar view={view} onChange={show} />
        <PayoutTable
          payouts={payouts}
          label="Payouts"
          empty={
            isNarrowed(view) ? (
              <NothingFits
                onClear={() => setSearch({})}
                onFurther={next === undefined ? undefined : () => show({ cursor: next })}
              />
            ) : undefined
          }
        />
        {isCut && <p className="text-muted">For this page 20,000 payouts were looked at. Older ones may fit, too.</p>}
        <Pager
          cursor={view.cursor}
          next={shownCount === 0 ? undefined : next}
          onNext={(cursor) => show({ cursor })}
          onFirst={() => show({})}
          labels={{ first: 'Newest', next: isCut ? 'Look further' : 'Older' }}
        />
      </div>
    </Page>
  );
}

interface NothingFitsProps {
  onClear: () => void;
  /** To where the search ended; undefined where it has seen every payout. */
  onFurther: (() => void) | undefined;
}

function NothingFits({ onClear, onFurther }: NothingFitsProps) {
  if (onFurther === undefined) {
    return (
      <Empty title="No payout fits these filters" action={<Button onClick={onClear}>Show all payouts</Button>}>
        A reference has to be written exactly as it was sent.
      </Empty>
    );
  }
  return (
    <Empty
      title="None of the 20,000 payouts looked at fits"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button kind="primary" onClick={onFurther}>
            Look further
          </Button>
          <Button onClick={onClear}>Show all payouts</Button>
        </div>
      }
    >
      Older ones may fit.
    </Empty>
  );
}
