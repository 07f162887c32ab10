import type { Payout } from '@kelpie/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useAddress, useEnvironment, useKelpie } from '../../data/environment.ts';
import { liveEvery } from '../../data/presence.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import type { SentOrder } from './sent-order.ts';

/** By then a request has arrived or never will: the API gives up on one long before. */
const arrivedAfterMs = 120_000;

interface UnresolvedPayoutProps {
  unresolved: SentOrder;
  /** Whether the form still has what was sent. */
  isKept: boolean;
  isSending: boolean;
  onSettled: () => void;
}

function headingFor(payout: Payout | null | undefined, isDecided: boolean): string {
  if (payout) return 'Your last payout was created.';
  return isDecided ? 'Your last payout was not created.' : "We don't know whether your last payout was created.";
}

/** A payout with an unknown outcome, sent before the page was left. It is looked up by its key, and blocks other payouts. */
export function UnresolvedPayout({ unresolved, isKept, isSending, onSettled }: UnresolvedPayoutProps) {
  const address = useAddress();
  const kelpie = useKelpie();
  const found = useQuery({
    queryKey: [useEnvironment(), 'unresolved-payout', unresolved.key],
    queryFn: async ({ signal }) =>
      (await kelpie.payouts.list({ idempotency_key: unresolved.key }, { signal })).data[0] ?? null,
    refetchInterval: liveEvery(4_000),
  });
  const payout = found.data;
  // While it is being created the API answers with an error, and an earlier empty result no longer counts.
  const isDecided = payout === null && !found.isError && found.dataUpdatedAt - unresolved.sentAtMs > arrivedAfterMs;
  return (
    <section
      role="alert"
      aria-label="Earlier payout"
      className="mb-8 grid gap-2 rounded-lg border border-returned/40 bg-returned-wash p-4"
    >
      <p className="flex items-center gap-2 font-medium text-returned">
        <Icon name="warning" />
        {headingFor(payout, isDecided)}
      </p>
      {payout ? (
        <p>
          <Link
            to={address(`/payouts/${payout.id}`)}
            className="font-medium text-tide underline underline-offset-2"
            onClick={onSettled}
          >
            View the payout
          </Link>{' '}
          before you send another one.
        </p>
      ) : (
        <p>
          You sent it at <Timestamp at={new Date(unresolved.sentAtMs).toISOString()} /> and Kelpie did not respond.{' '}
          {isKept
            ? 'Its details are below. Review and send them again: the recipient is never paid twice.'
            : 'Enter exactly the same details and send them again: the recipient is never paid twice.'}{' '}
          You can also{' '}
          <Link to={address('/payouts')} className="font-medium text-tide underline underline-offset-2">
            check the payout list
          </Link>
          .
        </p>
      )}
      {(payout || isDecided) && (
        <div>
          <Button onClick={onSettled} disabled={isSending}>
            Start another payout
          </Button>
        </div>
      )}
    </section>
  );
}
