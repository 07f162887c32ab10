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
  // "Today" must not become another list at every refresh.
  const [openedAt] = useState(() => new Date());
  const filters = useMemo(() => filtersOf(viewFrom(new URLSearchParams(searchText)), openedAt), [searchText, openedAt]);
  const payouts = usePayouts(filters);
  const shownCount = payouts.data?.data.length ?? 0;
  const next = payouts.data?.next;
  // One request searches a limited number of payouts, so a page that is not full may not be the last.
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
              <NoMatches
                onClear={() => setSearch({})}
                onFurther={next === undefined ? undefined : () => show({ cursor: next })}
              />
            ) : undefined
          }
        />
        {isCut && <p className="text-muted">We searched 20,000 payouts for this page. Older ones may match too.</p>}
        <Pager
          cursor={view.cursor}
          next={shownCount === 0 ? undefined : next}
          onNext={(cursor) => show({ cursor })}
          onFirst={() => show({})}
          labels={{ first: 'Newest', next: isCut ? 'Search older payouts' : 'Older' }}
        />
      </div>
    </Page>
  );
}

interface NoMatchesProps {
  onClear: () => void;
  /** Continues where the search stopped. Undefined once every payout was searched. */
  onFurther: (() => void) | undefined;
}

function NoMatches({ onClear, onFurther }: NoMatchesProps) {
  if (onFurther === undefined) {
    return (
      <Empty title="No payouts match these filters" action={<Button onClick={onClear}>Show all payouts</Button>}>
        Check the filters. A reference must match exactly.
      </Empty>
    );
  }
  return (
    <Empty
      title="No matches in the 20,000 payouts searched"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button kind="primary" onClick={onFurther}>
            Search older payouts
          </Button>
          <Button onClick={onClear}>Show all payouts</Button>
        </div>
      }
    >
      Older payouts may match.
    </Empty>
  );
}
