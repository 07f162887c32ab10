import type { PayoutStatus } from '@kelpie/sdk';
import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { statuses, statusLabels } from '../../format/payout-labels.ts';
import { Choice } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { dateIn, payoutIdIn, type PayoutView } from './filters.ts';

const periods = [
  { value: 'any', label: 'Any time' },
  { value: 'today', label: 'Today' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: 'dates', label: 'Custom dates' },
] as const;

const ways = [
  { value: 'any', label: 'Any source' },
  { value: 'api', label: 'API' },
  { value: 'dashboard', label: 'Dashboard' },
] as const;

interface FilterBarProps {
  view: PayoutView;
  onChange: (changed: Partial<PayoutView>) => void;
}

export function FilterBar({ view, onChange }: FilterBarProps) {
  const toggle = (status: PayoutStatus): void => {
    const isOn = view.statuses.includes(status);
    onChange({ statuses: statuses.filter((each) => (each === status ? !isOn : view.statuses.includes(each))) });
  };
  return (
    <div className="grid gap-3">
      <div className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
        <Search value={view.search} onSearch={(search) => onChange({ search })} />
        <div className="contents max-sm:grid max-sm:grid-cols-2 max-sm:gap-2">
          <Choice
            label="Period"
            isHidden
            value={view.period}
            options={periods}
            onChange={(period) => onChange({ period })}
          />
          <Choice label="Source" isHidden value={view.via} options={ways} onChange={(via) => onChange({ via })} />
        </div>
      </div>
      {view.period === 'dates' && <Dates view={view} onChange={onChange} />}
      <div
        role="group"
        aria-label="Status"
        className="-mx-4 flex gap-1.5 overflow-x-auto px-4 sm:mx-0 sm:flex-wrap sm:px-0"
      >
        {statuses.map((status) => {
          const isOn = view.statuses.includes(status);
          return (
            <button
              key={status}
              type="button"
              aria-pressed={isOn}
              onClick={() => toggle(status)}
              className={classNames(
                'h-8 shrink-0 rounded-full border px-3 text-small',
                isOn
                  ? 'border-tide bg-tide-wash font-medium text-tide'
                  : 'border-line text-muted hover:bg-hover hover:text-ink',
              )}
            >
              {statusLabels[status].label}
            </button>
          );
        })}
      </div>
    </div>
  );
}

const dateClassName =
  'h-10 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-ink outline-offset-0';

function Dates({ view: { from, to }, onChange }: FilterBarProps) {
  const isBackwards = from !== '' && to !== '' && from > to;
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:items-center sm:gap-x-4">
      <DateField label="From" name="from" value={from} onChange={(date) => onChange({ from: date })} />
      <DateField label="To" name="to" value={to} onChange={(date) => onChange({ to: date })} />
      {isBackwards && (
        <p role="status" className="col-span-2 text-failed">
          The start date is after the end date.
        </p>
      )}
    </div>
  );
}

interface DateFieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (date: string) => void;
}

/** The browser's own date field. A half-typed year stays here until it is complete. */
function DateField({ label, name, value, onChange }: DateFieldProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  return (
    <label className="grid min-w-0 gap-1 sm:flex sm:items-center sm:gap-2">
      <span className="text-muted">{label}</span>
      <input
        type="date"
        name={name}
        min="2000-01-01"
        max="2100-12-31"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (target.value === '' || dateIn(target.value) !== '') onChange(target.value);
        }}
        onBlur={() => setTyped(value)}
        className={dateClassName}
      />
    </label>
  );
}

function Search({ value, onSearch }: { value: string; onSearch: (search: string) => void }) {
  const navigate = useNavigate();
  const address = useAddress();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The address can change without this field: by a link, or by going back.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const id = payoutIdIn(typed);
    if (id === undefined) onSearch(typed.trim());
    else void navigate(address(`/payouts/${id}`));
  };
  return (
    <form role="search" onSubmit={search} className="relative min-w-0">
      <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-muted">
        <Icon name="search" />
      </span>
      <input
        type="search"
        name="search"
        aria-label="Search payouts"
        placeholder="Exact reference, last 4 digits or payout ID"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (target.value === '' && value !== '') onSearch('');
        }}
        className="h-10 w-full rounded-md border border-line-strong bg-surface pr-3 pl-9 outline-offset-0 placeholder:text-muted"
      />
    </form>
  );
}
