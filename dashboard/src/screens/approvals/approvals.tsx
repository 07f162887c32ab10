import type { PayoutRequest } from '@kelpie/sdk';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useSearchParams } from 'react-router';
import { usePayoutRequests } from '../../data/reads.ts';
import { useIsAdmin } from '../../data/session.ts';
import { formatPounds } from '../../format/money.ts';
import { reasonsText } from '../../format/request-labels.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { DecideRequest, type Deciding } from './decide-request.tsx';
import { queueAct } from './queue-keys.ts';

/** Payouts that wait for an admin. An email leads to one of them. */
export function Screen() {
  const [search, setSearch] = useSearchParams();
  const requests = usePayoutRequests();
  const [begun, setBegun] = useState<Deciding['begins']>('look');
  const id = search.get('request');
  const open = (request: PayoutRequest, begins: Deciding['begins']): void => {
    setBegun(begins);
    setSearch({ request: request.id });
  };
  const { data, error } = requests;
  return (
    <Page
      title="Approvals"
      lead="Payouts that a rule of this account holds back until another admin approves them. No money is set aside for them. Each expires after 72 hours."
    >
      {error !== null && data === undefined && (
        <Problem error={error} title="Approvals could not be loaded." onRetry={() => void requests.refetch()} />
      )}
      {data === undefined && error === null && <Rows count={3} />}
      {data !== undefined && <Queue requests={data} onOpen={open} />}
      {id !== null && <DecideRequest key={id} id={id} begins={begun} onClose={() => setSearch({})} />}
    </Page>
  );
}

interface QueueProps {
  requests: readonly PayoutRequest[];
  onOpen: (request: PayoutRequest, begins: Deciding['begins']) => void;
}

function Queue({ requests, onOpen }: QueueProps) {
  const isAdmin = useIsAdmin();
  const list = useRef<HTMLUListElement>(null);
  if (requests.length === 0)
    return (
      <Empty title="No payouts wait for approval">
        Under Security, admins choose which payouts another admin has to approve.
      </Empty>
    );
  const rows = (): HTMLButtonElement[] => [...(list.current?.querySelectorAll('button') ?? [])];
  const press = (event: KeyboardEvent): void => {
    const buttons = rows();
    const at = buttons.findIndex((button) => button === document.activeElement);
    const act = queueAct(event, { at, count: buttons.length });
    if (act === undefined) return;
    event.preventDefault();
    if (act.kind === 'move') {
      buttons[act.to]?.focus();
      return;
    }
    const request = requests[act.at];
    if (request !== undefined) onOpen(request, act.kind === 'open' || !isAdmin ? 'look' : act.kind);
  };
  return (
    <div className="grid gap-3">
      <ul
        ref={list}
        aria-label="Payouts that wait for approval"
        aria-describedby="queue-keys"
        className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
      >
        {requests.map((request) => (
          <li key={request.id}>
            <RequestRow request={request} onOpen={() => onOpen(request, 'look')} onPress={press} />
          </li>
        ))}
      </ul>
      <p id="queue-keys" className="text-small text-muted max-md:sr-only">
        Keys in the list: <Key>j</Key> and <Key>k</Key> or the arrow keys move, <Key>Enter</Key> opens
        {isAdmin && (
          <>
            , <Key>a</Key> opens it to approve, <Key>d</Key> to decline
          </>
        )}
        .
      </p>
    </div>
  );
}

function Key({ children }: { children: string }) {
  return <kbd className="rounded-sm border border-line bg-raised px-1.5 py-0.5 font-mono text-small">{children}</kbd>;
}

interface RowProps {
  request: PayoutRequest;
  onOpen: () => void;
  onPress: (event: KeyboardEvent) => void;
}

function RequestRow({ request, onOpen, onPress }: RowProps) {
  const { recipient, amount_gbp: amount, reference, requested_by: by, expires_at: expiresAt } = request;
  return (
    <button
      type="button"
      onClick={onOpen}
      onKeyDown={onPress}
      className="grid w-full grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 px-4 py-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
    >
      <span className="truncate font-medium">
        <bdi>{recipient.name}</bdi>
      </span>
      <span className="figures text-right font-medium">{formatPounds(amount)}</span>
      <span className="truncate text-small text-muted">
        Account ending {recipient.account_last4}
        {reference !== null && (
          <>
            {' '}
            · <bdi>{reference}</bdi>
          </>
        )}{' '}
        · by {by}
      </span>
      <span className="text-right text-small text-muted">{reasonsText(request)}</span>
      <span className="col-span-2 text-small text-muted">
        Expires <Timestamp at={expiresAt} />
      </span>
    </button>
  );
}
