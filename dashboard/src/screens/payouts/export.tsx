import type { Payout, PayoutFilters } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { formatCount } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import { save } from '../../ui/save-file.ts';
import { csvOf } from './csv.ts';

/** More is for the API: a browser is no place for a million rows. */
const mostRows = 10_000;

/** What the filters fit, from the newest on, as a file. */
export function Export({ filters }: { filters: PayoutFilters }) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const [count, setCount] = useState(0);
  const exporting = useMutation({
    mutationFn: async () => {
      const { cursor: _from, ...all } = filters;
      const rows: Payout[] = [];
      for await (const payout of kelpie.payouts.listAll({ ...all, limit: 200 })) {
        rows.push(payout);
        if (rows.length % 200 === 0) setCount(rows.length);
        if (rows.length === mostRows) break;
      }
      const file = new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' });
      save(`kelpie-${environment}-payouts-${new Date().toISOString().slice(0, 10)}.csv`, file);
      return rows.length;
    },
    onMutate: () => setCount(0),
  });
  const isCut = exporting.data === mostRows;
  return (
    <>
      <Button isWorking={exporting.isPending} onClick={() => exporting.mutate()}>
        <Icon name="download" />
        {exporting.isPending && count > 0 ? formatCount(count) : 'Export'}
        <span className="sr-only">as CSV</span>
      </Button>
      <Dialog title="Export" isOpen={exporting.isError || isCut} onClose={() => exporting.reset()}>
        {exporting.isError && <Problem error={exporting.error} title="The payouts could not be exported." />}
        {isCut && (
          <p>
            The file has the newest {formatCount(mostRows)} payouts of these. Choose dates in the list to get older
            ones, a part at a time, or read them with the API.
          </p>
        )}
        <DialogActions>
          <Button onClick={() => exporting.reset()}>Close</Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
